"""What is said of the columns of a feature matrix: the phrases that `vclean.features.wording` fills in.

A line each, `name | phrase`, under the `[group]` of the column. A phrase may have a place for the value, `{form}` or
`{form:noun}` (see `vclean.features.wording_forms`); a flag has two phrases, ` / ` between them, the first where it is
set.
"""

from __future__ import annotations

from typing import Final

COLUMN_PHRASES: Final = """
[links]
links | {count:link}
link_share | link share {share}
in_link | inside a link / not inside a link
urls | {count:web address|es}
split_a | {count:link} before it begins
path_link_share | link share {share} in the blocks with the same chain of tags
class_link_share | link share {share} in the blocks made alike
[length and punctuation]
chars | {length:character}
words | {length:word}
word_length | {number} characters a word
word_types | {percent} different words
words_of_page | {percent} of the page's words
chars_of_page | {percent} of the page's characters
alpha | {percent} letters
upper | {percent} capitals
digit | {percent} digits
punctuation | {percent} punctuation marks
symbol | {percent} symbols, such as currency signs
unspaced_script | {percent} in a script without spaces
capitalised_words | {percent} of its words with a capital
digit_words | {percent} of its words are numbers
all_caps | all capitals / not all in capitals
commas | {hundred:comma} to 100 words
sentences | {count:sentence end}
sentence_length | {number} words to a sentence end
starts_capital | begins with a capital / does not begin with a capital
starts_digit | begins with a digit / does not begin with a digit
starts_lower | begins with a small letter / does not begin with a small letter
starts_bullet | begins with a bullet or dash / does not begin with a bullet
ends_sentence | ends like a sentence / does not end like a sentence
ends_question | ends in a question or exclamation mark / does not end in a question mark
ends_colon | ends in a colon / does not end in a colon
ends_ellipsis | ends in an ellipsis / does not end in an ellipsis
pipes | {count:vertical bar}
slashes | {count:slash|es}
currency | {count:currency sign}
quotes | {count:quotation mark}
brackets | {count:bracket}
hashes | {count:hash|es}
[words]
stop_words | {percent} stop words
stop_words_to_page | {number} times the page's share of stop words
stop_word_count | {count:stop word}
dates | {count:date}
months | {count:month}
years | {count:year}
emails | {count:e-mail address|es}
copyrights | {count:copyright sign}
prices | {count:price}
phones | {count:telephone number}
actions | {count:word} of buttons, such as "read more"
bylines | {count:word} of authorship, such as "posted by"
boilerplate | {count:word} of notices, such as "privacy" or "newsletter"
[repetition]
duplicates | the same text in {count:other block}
duplicate_shape | the same text but for digits in {count:other block}
duplicate_number | the same text in {count:block} before
repeated_words | {percent} of its words stand elsewhere on the page too
rare_words | {percent} of its words stand nowhere else on the page
[headings and title]
title_overlap | {percent} of its words are in the page's title
title_covered | has {percent} of the words of the page's title
after_h1 | {after:the main heading}
since_heading | {count:block} since the last heading
last_heading_level | under {heading}
heading_level | {own_heading}
in_heading | inside a heading / not inside a heading
split_heading | {count:heading tag} before it begins
[tags and classes]
tag | its tag is {tag}
parent_tag | its parent is {tag}
inner_tag | its text is in {tag}
depth | {count:element} deep in the page
inline_depth | its text {count:element} deeper than the block
bold_share | {percent} of its text in bold elements
italic_share | {percent} of its text in italic elements
code_share | {percent} of its text in code elements
text_nodes | {count:piece} of text
container_blocks | {count:block} in its element
container_elements | {count:element} in its element
container_images | {count:image} in its element
siblings | one of {count:child|ren} of its parent
same_tag_siblings | {percent} of its siblings have its tag
sibling_place | {way} its siblings
ordinal_in_container | {count:block} before it in the same element
in_article | inside <article> / not inside an <article>
in_main | inside <main> / not inside <main>
in_nav | inside <nav> / not inside a <nav>
in_header | inside <header> / not inside a <header>
in_footer | inside <footer> / not inside a <footer>
in_aside | inside <aside> / not inside an <aside>
in_section | inside <section> / not inside a <section>
in_form | inside a form / not inside a form
in_list | inside a list / not inside a list
in_list_item | inside a list item / not inside a list item
in_definition | inside a definition list / not inside a definition list
in_table | inside a table / not inside a table
in_cell | inside a table cell / not inside a table cell
in_figure | inside a figure / not inside a figure
in_quote | inside a quotation / not inside a quotation
in_code | inside code / not inside code
in_button | inside a button / not inside a button
in_paragraph | inside <p> / not inside a <p>
in_select | inside a select or label / not inside a select or label
in_bold | inside bold text / not inside bold text
in_italic | inside italic text / not inside italic text
in_details | inside <details> / not inside <details>
in_dialog | inside a dialog / not inside a dialog
in_time | inside <time> / not inside <time>
in_address | inside <address> / not inside an <address>
in_noscript | inside <noscript> / not inside <noscript>
in_center | inside <center> or <font> / not inside <center> or <font>
split_br | {count:line break} before it begins
split_hr | {count:rule} before it begins
split_img | {count:image} before it begins
split_input | {count:input field} before it begins
split_iframe | {count:frame} before it begins
split_p | {count:paragraph tag} before it begins
split_li | {count:list item tag} before it begins
split_row | {count:table row} before it begins
[blocks made alike]
path_blocks | {count:block} with its chain of tags
path_share | the blocks with its chain of tags have {percent} of the page's words
path_mean_words | {number} words a block with its chain of tags
path_stop_words | {percent} stop words in the blocks with its chain of tags
path_place | {way} the blocks with its chain of tags
path_spread | the blocks with its chain of tags spread over {percent} of the page
class_blocks | {count:block} with its tags and classes
class_share | the blocks with its tags and classes have {percent} of the page's words
class_mean_words | {number} words a block with its tags and classes
class_stop_words | {percent} stop words in the blocks with its tags and classes
class_place | {way} the blocks with its tags and classes
class_spread | the blocks with its tags and classes spread over {percent} of the page
[the main text]
holder50_inside | near the main text
holder50_side | near the main text
holder50_distance | near the main text
holder50_place | near the main text
holder50_depth | {levels} the main text
holder50_words | the core of the main text has {percent} of the page's words
holder75_inside | near the main text
holder75_side | near the main text
holder75_distance | near the main text
holder75_place | near the main text
holder75_depth | {levels} the main text
holder75_words | the main text has {percent} of the page's words
since_long | {count:block} since the last long text
until_long | {count:block} until the next long text
[place on the page]
position | {percent} of the blocks are before it
word_position | {percent} of the page's words are before it
words_before | {count:word} before it
words_after | {count:word} after it
blocks_before | {count:block} before it
blocks_after | {count:block} after it
x | {percent} of the page's width from the left
y | {px} from the top
y_share | {percent} down the page
bottom_distance | {px} from the bottom of the page
centre_offset | centre {percent} of the page's width off the middle
above_fold | in the first screen / below the first screen
top_gap | {px} below the block before
bottom_gap | {px} above the block after
left_offset | begins {px} to the right of the block before
left_offset_next | begins {px} to the right of the block after
column_left | its column begins {percent} of the page's width from the left
main_column_offset | its column begins {percent} of the page's width from the main one
floated | floated / not floated
out_of_flow | positioned outside the flow of the page / in the flow of the page
[size and shape]
width | {px} wide
height | {px} high
relative_width | {percent} as wide as the widest block
relative_height | {percent} as high as the highest block
width_share | {percent} of the page's width
area_share | {percent} of the area of all text
solidity1 | fills {percent} of its rectangle
solidity2 | outline of {count:corner}
solidity3 | outline of roundness {number}
lines | {count:line}
line_chars | {number} characters a line
same_width_before | as wide as the block before / not as wide as the block before
same_width_after | as wide as the block after / not as wide as the block after
same_width_share | {percent} of the page's words in blocks as wide
same_left_share | {percent} of the page's words begin at the same left edge
same_left_blocks | {count:block} at the same left edge
column_share | its column has {percent} of the page's words
column_width | its column is {px} wide
column_fill | fills {percent} of its column's width
main_column_width | its column is {number} times as wide as the main one
[font and look]
font_size | {px} font
relative_font | font {number} times the usual size
font_rank | larger than {percent} of the text
font_weight | font weight {whole}
relative_weight | font weight {number} times the usual
italic | {percent} in italics
line_height | line height {number}
upper_styled | {percent} set in capitals
underlined | {percent} underlined
text_luminance | text colour of lightness {share}
background_luminance | background of lightness {share}
contrast | contrast {number} to 1
colour_share | {percent} of the text has its colour
background_share | {percent} of the text has its background
coloured | colour of strength {share}
centred | {percent} centred
pointer | pointer cursor / no pointer cursor
[visibility]
visibility | {visibility}
[the page]
page_words | page of {count:word}
page_blocks | page of {count:block}
page_chars | page of {count:character}
language_known | in a known language / in no known language
vocabulary_known | word lists for the language / no word lists for the language
has_h1 | page with a main heading / page without a main heading
long_share | {percent} of the page is long text
page_link_share | page with a link share of {share}
page_elements | page of {count:element}
hidden_share | {percent} of the page's text hidden
noscript_used | read with <noscript> / read without <noscript>
page_height | page {px} high
page_width | page {px} wide
styled | layout of {share} edges a block
rendered | rendered / not rendered
"""

SUBTREE_PHRASES: Final = """
blocks | {container} has {count:block}
words | {container} has {count:word}
words_of_page | {container} has {percent} of the page's words
mean_words | {number} words a block in {container}
link_share | link share {share} in {container}
stop_words | {percent} stop words in {container}
sentences | {hundred:sentence end} to 100 words in {container}
long_of_page | {container} has {percent} of the page's long text
long_share | {percent} of the words are long text in {container}
headings | {count:heading} in {container}
place | {way} {container}
begin | {container} begins {percent} of the way down the page
end | {container} ends {percent} of the way down the page
depth | {count:element} below {container}
alike | {count:element} like {container}
images | {number} images a block in {container}
inputs | {number} input fields and buttons a block in {container}
x | {container} begins {percent} of the page's width from the left
y | {container} begins {percent} of the page's height down
width | {container} is {percent} of the page wide
height | {container} is {percent} of the page high
"""
"""What is said of a larger subtree, by the name of the column without its level."""
