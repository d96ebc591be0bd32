"""Compare methods and models: on one page (`vclean diff`) and over corpora (`vclean report`)."""
