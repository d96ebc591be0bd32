# vclean with Chromium, as an ordinary user with the browser's sandbox on.
#
#     docker build -t vclean .
#     docker run --rm -i --security-opt seccomp=chromium.json vclean - --render < page.html
#
# Docker's default seccomp profile forbids the user namespaces of Chromium's sandbox: docs/guides/container.md.
FROM python:3.12-slim AS wheel
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
COPY . /src
RUN pip wheel --no-deps --wheel-dir /wheels /src

FROM python:3.12-slim
ENV PLAYWRIGHT_BROWSERS_PATH=/opt/browsers
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[farm]" \
    && vclean setup \
    && rm -rf /wheels /var/lib/apt/lists/*
RUN useradd --create-home reader
USER reader
WORKDIR /home/reader
ENTRYPOINT ["vclean"]
