"""Methods and models side by side: on one page, `vclean diff`, and over corpora, `vclean report`."""
