/* Read the characters of texts in one pass: their classes, the words, and counts of both; see characters.py.
 * Find terms in the words; see terms.py.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>

enum { CLASSES = 32, FEWEST = 64, BUCKET_BITS = 12 };

typedef struct {
    uint32_t kind, folded; /* bits of classes, 0 if they are unknown; the folded code point */
} Character;

/* The layout of `_TEXT` in characters.py. */
typedef struct {
    uint64_t shape;               /* hash of the sequence of words */
    uint32_t characters[CLASSES]; /* number of characters of each class */
    uint32_t words[CLASSES];      /* number of words that begin with a character of each class */
} Text;

/* The layout of `_WORD` in characters.py. */
typedef struct {
    int64_t start, end;
    uint64_t hash, bigram; /* `bigram`: hash of the word and the next */
    int32_t owner;
} Word;

typedef struct {
    const uint32_t *code;
    const Character *table;
    uint32_t *kind;
    Text *texts;
    PyObject *learn; /* adds a character to the table */
    PyObject *words; /* bytearray, which grows */
    Py_ssize_t count;
    uint32_t word, mark, unspaced; /* bits of classes */
} Reader;

/* The finalizer of splitmix64, as `mix` in characters.py. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static void add(uint32_t *counts, uint32_t kind, uint32_t number)
{
    for (; kind; kind >>= 1, counts++)
        if (kind & 1)
            *counts += number;
}

static Word *word_of(const Reader *reader, Py_ssize_t row)
{
    return (Word *)PyByteArray_AsString(reader->words) + row;
}

/* Make room for one more row of `size` bytes; return 0 if memory is missing. */
static int grow(PyObject *rows, Py_ssize_t count, size_t size)
{
    const Py_ssize_t used = count * (Py_ssize_t)size;
    return used < PyByteArray_Size(rows) ||
           PyByteArray_Resize(rows, used ? 2 * used : FEWEST * (Py_ssize_t)size) >= 0;
}

static int add_word(Reader *reader, Word word)
{
    if (!grow(reader->words, reader->count, sizeof word))
        return 0;
    Text *text = &reader->texts[word.owner];
    word.hash = mix(word.hash);
    text->shape = mix(text->shape + word.hash);
    if (reader->count) {
        Word *before = word_of(reader, reader->count - 1);
        before->bigram = mix(before->hash * 3 + word.hash);
    }
    *word_of(reader, reader->count++) = word;
    return 1;
}

/* Return a character of the table, or NULL on errors. */
static const Character *character_of(const Reader *reader, uint32_t code)
{
    const Character *character = &reader->table[code];
    if (!character->kind) {
        PyObject *result = PyObject_CallFunction(reader->learn, "I", code);
        Py_XDECREF(result);
        return result ? character : NULL;
    }
    return character;
}

/* Read the characters of one text, from `at` to `end`. */
static int read_text(Reader *reader, int32_t row, Py_ssize_t at, Py_ssize_t end)
{
    Text *text = &reader->texts[row];
    uint32_t last = 0;
    Py_ssize_t alike = at; /* the first of the characters up to here with equal classes */
    int is_inside = 0, was_inside = 0;
    Word word = {0};
    uint64_t power = 1;
    for (; at < end; at++) {
        const Character *character = character_of(reader, reader->code[at]);
        if (!character)
            return 0;
        const uint32_t kind = reader->kind[at] = character->kind, is_mark = kind & reader->mark;
        if (kind != last) {
            add(text->characters, last, (uint32_t)(at - alike));
            alike = at;
        }
        if (!is_mark) /* a mark belongs to the letter or digit before it */
            is_inside = (kind & reader->word) != 0;
        const int begins = is_inside && !is_mark && (!was_inside || (kind | last) & reader->unspaced);
        if (was_inside && (begins || !is_inside) && !add_word(reader, word))
            return 0;
        if (begins) {
            add(text->words, kind, 1);
            word = (Word){.start = at, .owner = row};
            power = 1;
        }
        if (is_inside) {
            word.hash += character->folded * power;
            word.end = at + 1;
            power *= 0x9E3779B97F4A7C15u;
        }
        was_inside = is_inside;
        last = kind;
    }
    add(text->characters, last, (uint32_t)(end - alike));
    return !was_inside || add_word(reader, word);
}

static int read_all(Reader *reader, const int64_t *start, Py_ssize_t texts, Py_ssize_t size)
{
    for (Py_ssize_t row = 0; row < texts; row++)
        if (!read_text(reader, (int32_t)row, start[row], row + 1 < texts ? start[row + 1] : size))
            return 0;
    return PyByteArray_Resize(reader->words, reader->count * (Py_ssize_t)sizeof(Word)) >= 0;
}

static PyObject *read_texts(PyObject *module, PyObject *args)
{
    Py_buffer buffers[5]; /* code, start, table, kind, texts */
    Reader reader = {.count = 0};
    if (!PyArg_ParseTuple(args, "y*y*y*w*w*OIII", &buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4],
                          &reader.learn, &reader.word, &reader.mark, &reader.unspaced))
        return NULL;
    reader.code = buffers[0].buf;
    reader.table = buffers[2].buf;
    reader.kind = buffers[3].buf;
    reader.texts = buffers[4].buf;
    reader.words = PyByteArray_FromStringAndSize(NULL, 0);
    if (reader.words && !read_all(&reader, buffers[1].buf, buffers[1].len / (Py_ssize_t)sizeof(int64_t),
                                  buffers[0].len / (Py_ssize_t)sizeof(uint32_t)))
        Py_CLEAR(reader.words);
    for (int i = 0; i < 5; i++)
        PyBuffer_Release(&buffers[i]);
    return reader.words;
}

/* The layout of `_MATCH` in terms.py. */
typedef struct {
    int32_t start, length;
    uint32_t lists;
} Match;

static const uint32_t CONTINUES = 1u << 31; /* a list of the beginnings of longer terms */

/* Terms by their hash, ascending; `first` are the first ones whose hash begins with the bits of a bucket. */
typedef struct {
    const uint64_t *key;
    const uint32_t *lists;
    const int32_t *first;
} Terms;

static uint32_t lists_of(const Terms *terms, uint64_t hash)
{
    const int32_t *first = terms->first + (hash >> (64 - BUCKET_BITS));
    for (int32_t row = first[0]; row < first[1]; row++)
        if (terms->key[row] == hash)
            return terms->lists[row];
    return 0;
}

/* Add the terms of `count` words to the rows; return their number, or -1 if memory is missing. */
static Py_ssize_t add_matches(PyObject *rows, const Terms *terms, const uint64_t *hash, const int32_t *owner,
                              int32_t count)
{
    Py_ssize_t matches = 0;
    for (int32_t start = 0; start < count; start++) {
        uint64_t value = hash[start];
        uint32_t lists = CONTINUES;
        for (int32_t next = start; lists & CONTINUES && next < count && owner[next] == owner[start]; next++) {
            if (next > start)
                value = mix(value * 3 + hash[next]);
            lists = lists_of(terms, value);
            if (!(lists & ~CONTINUES))
                continue;
            if (!grow(rows, matches, sizeof(Match)))
                return -1;
            ((Match *)PyByteArray_AsString(rows))[matches++] = (Match){start, next + 1 - start, lists};
        }
    }
    return matches;
}

static PyObject *find_terms(PyObject *module, PyObject *args)
{
    Py_buffer buffers[5]; /* key, lists, first, hash, owner */
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*", &buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4]))
        return NULL;
    const Terms terms = {buffers[0].buf, buffers[1].buf, buffers[2].buf};
    PyObject *rows = PyByteArray_FromStringAndSize(NULL, 0);
    const Py_ssize_t matches = rows ? add_matches(rows, &terms, buffers[3].buf, buffers[4].buf,
                                                  (int32_t)(buffers[4].len / (Py_ssize_t)sizeof(int32_t)))
                                    : -1;
    if (matches < 0 || PyByteArray_Resize(rows, matches * (Py_ssize_t)sizeof(Match)) < 0)
        Py_CLEAR(rows);
    for (int i = 0; i < 5; i++)
        PyBuffer_Release(&buffers[i]);
    return rows;
}

static PyMethodDef methods[] = {
    {"read_texts", read_texts, METH_VARARGS, "Return the words of texts, and count."},
    {"find_terms", find_terms, METH_VARARGS, "Return the terms in words."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_characters", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__characters(void)
{
    return PyModule_Create(&definition);
}
