// Extract pages with Defuddle: reads {"html": ..., "url": ...} as JSON lines, writes its HTML as JSON strings.
import { createInterface } from 'node:readline';

import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';

console.log = console.warn = console.error = console.debug = () => {}; // standard output has the answers only

for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line);
  let answer;
  try {
    const { document } = parseHTML(html);
    answer = { html: (await Defuddle(document, url || undefined, { useAsync: false })).content ?? '' };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
