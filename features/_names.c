/* Read the names in the attribute values of a page, their words, and their hashes; see element_names.py.
 *
 * Names and words are told apart by 64-bit hashes of their bytes (FNV-1a), so that only distinct words become strings.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOKEN_NAMES = 24, BUCKETS = 1 << 18, SECOND_SEED = 0x5BD1E995 };

static uint32_t crc_table[256];

static void make_crc_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xEDB88320u ^ (crc >> 1) : crc >> 1;
        crc_table[byte] = crc;
    }
}

/* The same as `zlib.crc32`. */
static uint32_t crc32_of(const char *text, Py_ssize_t size, uint32_t crc)
{
    crc = ~crc;
    for (Py_ssize_t at = 0; at < size; at++)
        crc = crc_table[(crc ^ (unsigned char)text[at]) & 255] ^ (crc >> 8);
    return ~crc;
}

static uint64_t secret; /* so that no page can choose the slots of its names */

static uint64_t hash_of(const char *text, Py_ssize_t size, uint64_t hash)
{
    for (Py_ssize_t at = 0; at < size; at++)
        hash = (hash ^ (unsigned char)text[at]) * 0x100000001B3u;
    hash = (hash ^ secret) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}

/* Growing array of int32. */
typedef struct {
    int32_t *data;
    Py_ssize_t count, size;
} Array;

static int push(Array *array, int32_t number)
{
    if (array->count == array->size) {
        const Py_ssize_t size = array->size ? 2 * array->size : 256;
        int32_t *data = PyMem_Realloc(array->data, size * sizeof(int32_t));
        if (!data)
            return PyErr_NoMemory() != NULL;
        array->data = data;
        array->size = size;
    }
    array->data[array->count++] = number;
    return 1;
}

/* Numbers of hashes, by open addressing. */
typedef struct {
    uint64_t *key;
    int32_t *number;
    Py_ssize_t slots, count;
} Table;

static int grow(Table *table)
{
    Table larger = {NULL, NULL, table->slots ? 2 * table->slots : 1024, table->count};
    larger.key = PyMem_Malloc(larger.slots * sizeof(uint64_t));
    larger.number = PyMem_Malloc(larger.slots * sizeof(int32_t));
    if (!larger.key || !larger.number) {
        PyMem_Free(larger.key);
        PyMem_Free(larger.number);
        return PyErr_NoMemory() != NULL;
    }
    memset(larger.number, 0xFF, larger.slots * sizeof(int32_t));
    for (Py_ssize_t from = 0; from < table->slots; from++)
        if (table->number[from] >= 0) {
            Py_ssize_t slot = table->key[from] & (larger.slots - 1);
            while (larger.number[slot] >= 0)
                slot = (slot + 1) & (larger.slots - 1);
            larger.key[slot] = table->key[from];
            larger.number[slot] = table->number[from];
        }
    PyMem_Free(table->key);
    PyMem_Free(table->number);
    *table = larger;
    return 1;
}

/* Return the number of a hash, a new one if it is not known (`is_new`), or -1 on errors. */
static int32_t number_of(Table *table, uint64_t hash, int *is_new)
{
    if (2 * table->count >= table->slots && !grow(table))
        return -1;
    Py_ssize_t slot = hash & (table->slots - 1);
    while (table->number[slot] >= 0 && table->key[slot] != hash)
        slot = (slot + 1) & (table->slots - 1);
    *is_new = table->number[slot] < 0;
    if (*is_new) {
        table->key[slot] = hash;
        table->number[slot] = (int32_t)table->count++;
    }
    return table->number[slot];
}

enum { VALUE_WORDS, VALUE_TOKENS, WORD_START, TOKEN_START, BUCKET, ARRAYS };

typedef struct {
    Array out[ARRAYS];
    Array token_value, class_value; /* the last value with a token, and with a name */
    Table words, tokens, names;
    PyObject *strings, *split; /* the words; function for names that are not ASCII */
    uint64_t *class_sum;
    uint32_t prefix, word_prefix;
    int32_t value;
    int has_tokens;
} Reader;

/* Add a token to the value, unless the value has it. Return its number, or -1 on errors. */
static int32_t add_token(Reader *reader, uint64_t hash, const char *text, Py_ssize_t size, uint32_t prefix)
{
    int is_new;
    const int32_t token = number_of(&reader->tokens, hash, &is_new);
    if (token < 0 || (is_new && (!push(&reader->out[BUCKET], (int32_t)(crc32_of(text, size, prefix) % BUCKETS)) ||
                                 !push(&reader->token_value, -1))))
        return -1;
    if (reader->token_value.data[token] != reader->value) {
        reader->token_value.data[token] = reader->value;
        if (!push(&reader->out[VALUE_TOKENS], token))
            return -1;
    }
    return token;
}

/* Add a word in lower case, in UTF-8. */
static int add_word(Reader *reader, const char *text, Py_ssize_t size, int is_token)
{
    int is_new;
    const uint64_t hash = hash_of(text, size, 1);
    const int32_t word = number_of(&reader->words, hash, &is_new);
    if (word < 0 || !push(&reader->out[VALUE_WORDS], word))
        return 0;
    if (is_new) {
        PyObject *string = PyUnicode_DecodeUTF8(text, size, "surrogatepass");
        const int failed = !string || PyList_Append(reader->strings, string) < 0;
        Py_XDECREF(string);
        if (failed)
            return 0;
    }
    return !is_token || add_token(reader, hash, text, size, reader->word_prefix) >= 0;
}

/* Add the words of an ASCII name: runs of letters of one case, or with one capital in front. */
static int add_ascii_words(Reader *reader, const char *name, const char *lower, Py_ssize_t size, int is_token)
{
    for (Py_ssize_t at = 0; at < size;) {
        const Py_ssize_t first = at;
        while (at < size && name[at] >= 'A' && name[at] <= 'Z')
            at++;
        if (at - first <= 1)
            while (at < size && name[at] >= 'a' && name[at] <= 'z')
                at++;
        if (at == first)
            at++;
        else if (at - first > 1 && !add_word(reader, lower + first, at - first, is_token))
            return 0;
    }
    return 1;
}

static PyObject *utf8(PyObject *text)
{
    return PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
}

/* Add the words of another name, which Python splits. */
static int add_other_words(Reader *reader, PyObject *name, int is_token)
{
    PyObject *words = PyObject_CallFunctionObjArgs(reader->split, name, NULL);
    int complete = words != NULL && PyList_Check(words);
    if (words && !complete)
        PyErr_SetString(PyExc_TypeError, "words are no list");
    for (Py_ssize_t row = 0; complete && row < PyList_Size(words); row++) {
        PyObject *data = utf8(PyList_GetItem(words, row));
        complete = data && add_word(reader, PyBytes_AsString(data), PyBytes_Size(data), is_token);
        Py_XDECREF(data);
    }
    Py_XDECREF(words);
    return complete;
}

/* Add the token of a name in lower case. */
static int add_name_token(Reader *reader, const char *lower, Py_ssize_t size)
{
    return add_token(reader, hash_of(lower, size, 2 + (uint64_t)reader->prefix), lower, size, reader->prefix) >= 0;
}

static int add_ascii_parts(Reader *reader, const char *name, Py_ssize_t size, int is_token)
{
    char *lower = PyMem_Malloc(size + 1);
    if (!lower)
        return PyErr_NoMemory() != NULL;
    for (Py_ssize_t at = 0; at < size; at++)
        lower[at] = name[at] >= 'A' && name[at] <= 'Z' ? name[at] + 'a' - 'A' : name[at];
    const int complete =
        (!is_token || add_name_token(reader, lower, size)) && add_ascii_words(reader, name, lower, size, is_token);
    PyMem_Free(lower);
    return complete;
}

static int add_other_parts(Reader *reader, PyObject *name, int is_token)
{
    PyObject *lower = PyObject_CallMethod(name, "lower", NULL), *data = lower ? utf8(lower) : NULL;
    const int complete = data && (!is_token || add_name_token(reader, PyBytes_AsString(data), PyBytes_Size(data))) &&
                         add_other_words(reader, name, is_token);
    Py_XDECREF(lower);
    Py_XDECREF(data);
    return complete;
}

/* Add a name, and its words; `name` is its string, or NULL if it is ASCII. */
static int add_name(Reader *reader, const char *text, Py_ssize_t size, PyObject *name, int is_token)
{
    int is_new;
    const int32_t number = number_of(&reader->names, hash_of(text, size, 0), &is_new);
    if (number < 0 || (is_new && !push(&reader->class_value, -1)))
        return 0;
    if (reader->class_value.data[number] != reader->value) {
        reader->class_value.data[number] = reader->value;
        reader->class_sum[reader->value] +=
            crc32_of(text, size, 0) | (uint64_t)crc32_of(text, size, SECOND_SEED) << 32;
    }
    return name ? add_other_parts(reader, name, is_token) : add_ascii_parts(reader, text, size, is_token);
}

/* White space of `str.split`. */
static int is_space(char character)
{
    return character == ' ' || (character >= '\t' && character <= '\r') || (character >= 0x1C && character <= 0x1F);
}

static int add_ascii_names(Reader *reader, const char *text, Py_ssize_t size)
{
    for (Py_ssize_t at = 0, count = 0; at < size;) {
        const Py_ssize_t first = at;
        while (at < size && !is_space(text[at]))
            at++;
        if (at > first &&
            !add_name(reader, text + first, at - first, NULL, reader->has_tokens && count++ < MAX_TOKEN_NAMES))
            return 0;
        at += at == first;
    }
    return 1;
}

static int add_other_names(Reader *reader, PyObject *value)
{
    PyObject *names = PyUnicode_Split(value, NULL, -1);
    int complete = names != NULL;
    for (Py_ssize_t row = 0; complete && row < PyList_Size(names); row++) {
        PyObject *name = PyList_GetItem(names, row), *data = utf8(name);
        const int is_ascii = data && PyBytes_Size(data) == PyUnicode_GetLength(name);
        complete = data && add_name(reader, PyBytes_AsString(data), PyBytes_Size(data), is_ascii ? NULL : name,
                                    reader->has_tokens && row < MAX_TOKEN_NAMES);
        Py_XDECREF(data);
    }
    Py_XDECREF(names);
    return complete;
}

static int add_value(Reader *reader, PyObject *value)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (!text)
        PyErr_Clear(); /* surrogates */
    const int is_ascii = text && size == PyUnicode_GetLength(value);
    return (is_ascii ? add_ascii_names(reader, text, size) : add_other_names(reader, value)) &&
           push(&reader->out[WORD_START], (int32_t)reader->out[VALUE_WORDS].count) &&
           push(&reader->out[TOKEN_START], (int32_t)reader->out[VALUE_TOKENS].count);
}

static int read_values(Reader *reader, PyObject *groups, PyObject *values)
{
    const Py_ssize_t count = PyList_Size(values);
    if (!push(&reader->out[WORD_START], 0) || !push(&reader->out[TOKEN_START], 0))
        return 0;
    for (Py_ssize_t group = 0; group < PyList_Size(groups); group++) {
        Py_ssize_t end;
        unsigned int prefix;
        if (!PyArg_ParseTuple(PyList_GetItem(groups, group), "nIp", &end, &prefix, &reader->has_tokens))
            return 0;
        reader->prefix = prefix;
        for (; reader->value < end && reader->value < count; reader->value++)
            if (!add_value(reader, PyList_GetItem(values, reader->value)))
                return 0;
    }
    return 1;
}

static PyObject *bytes_of(const Array *array)
{
    return PyBytes_FromStringAndSize((const char *)array->data, array->count * sizeof(int32_t));
}

static PyObject *names_of(PyObject *module, PyObject *args)
{
    PyObject *values, *groups, *result = NULL;
    Reader reader = {.value = 0};
    if (!PyArg_ParseTuple(args, "O!O!IO", &PyList_Type, &values, &PyList_Type, &groups, &reader.word_prefix,
                          &reader.split))
        return NULL;
    const Py_ssize_t count = PyList_Size(values);
    reader.strings = PyList_New(0);
    reader.class_sum = PyMem_Calloc(count + 1, sizeof(uint64_t));
    if (!reader.strings || !reader.class_sum)
        PyErr_NoMemory();
    else if (read_values(&reader, groups, values))
        result = Py_BuildValue("ONNNNNN", reader.strings, bytes_of(&reader.out[WORD_START]),
                               bytes_of(&reader.out[VALUE_WORDS]), bytes_of(&reader.out[TOKEN_START]),
                               bytes_of(&reader.out[VALUE_TOKENS]), bytes_of(&reader.out[BUCKET]),
                               PyBytes_FromStringAndSize((const char *)reader.class_sum, count * sizeof(uint64_t)));
    Py_XDECREF(reader.strings);
    PyMem_Free(reader.class_sum);
    for (int each = 0; each < ARRAYS; each++)
        PyMem_Free(reader.out[each].data);
    PyMem_Free(reader.token_value.data);
    PyMem_Free(reader.class_value.data);
    Table *tables[] = {&reader.words, &reader.tokens, &reader.names};
    for (int each = 0; each < 3; each++) {
        PyMem_Free(tables[each]->key);
        PyMem_Free(tables[each]->number);
    }
    return result;
}

enum { MOST_BUFFERS = 5 };

static void release(Py_buffer *buffers)
{
    for (int each = 0; each < MOST_BUFFERS; each++)
        PyBuffer_Release(&buffers[each]);
}

/* Return whether the rows are in order within `count` values; else set an exception. */
static int are_rows(const Py_buffer *start, int64_t count)
{
    const int64_t *at = start->buf, rows = start->len / 8 - 1;
    int valid = rows >= 0 && at[0] >= 0 && at[rows] <= count;
    for (int64_t row = 0; row < rows; row++)
        valid &= at[row] <= at[row + 1];
    if (!valid)
        PyErr_SetString(PyExc_ValueError, "rows do not fit their values");
    return valid;
}

static PyObject *row_sums(PyObject *module, PyObject *args)
{
    Py_buffer in[MOST_BUFFERS] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*y*", &in[0], &in[1], &in[2]))
        return NULL;
    const float *weights = in[0].buf;
    const int32_t *values = in[1].buf;
    const int64_t *start = in[2].buf, rows = in[2].len / 8 - 1;
    PyObject *result = are_rows(&in[2], in[1].len / 4) ? PyByteArray_FromStringAndSize(NULL, rows * 8) : NULL;
    double *sums = result ? (double *)PyByteArray_AsString(result) : NULL, total = 0;
    for (int64_t row = 0; result && row < rows; row++) {
        const double before = total; /* differences of a running total, as trees were trained with them */
        for (int64_t at = start[row]; at < start[row + 1]; at++)
            total += weights[values[at]];
        sums[row] = total - before;
    }
    release(in);
    return result;
}

static PyObject *bits_of(PyObject *module, PyObject *args)
{
    Py_buffer in[MOST_BUFFERS] = {{0}};
    PyObject *words, *bits;
    if (!PyArg_ParseTuple(args, "O!O!y*y*", &PyList_Type, &words, &PyDict_Type, &bits, &in[0], &in[1]))
        return NULL;
    const int64_t *start = in[0].buf, rows = in[0].len / 8 - 1, count = PyList_Size(words);
    const int32_t *values = in[1].buf;
    PyObject *result = are_rows(&in[0], in[1].len / 4) ? PyByteArray_FromStringAndSize(NULL, rows * 8) : NULL;
    uint64_t *of_word = PyMem_Calloc(count + 1, sizeof(uint64_t));
    for (int64_t word = 0; of_word && word < count && !PyErr_Occurred(); word++) {
        PyObject *number = PyObject_GetItem(bits, PyList_GetItem(words, word));
        of_word[word] = number ? PyLong_AsUnsignedLongLong(number) : 0;
        Py_XDECREF(number);
    }
    uint64_t *of_row = result ? (uint64_t *)PyByteArray_AsString(result) : NULL;
    for (int64_t row = 0; result && of_word && row < rows; row++) {
        of_row[row] = 0;
        for (int64_t at = start[row]; at < start[row + 1]; at++)
            of_row[row] |= of_word[values[at]];
    }
    if (!of_word)
        PyErr_NoMemory();
    if (PyErr_Occurred())
        Py_CLEAR(result);
    PyMem_Free(of_word);
    release(in);
    return result;
}

static int ascending(const void *one, const void *other)
{
    const int32_t first = *(const int32_t *)one, second = *(const int32_t *)other;
    return (first > second) - (first < second);
}

/* Move the distinct ones of `count` numbers to the front, ascending; return how many they are. */
static int64_t distinct(int32_t *numbers, int64_t count)
{
    int64_t kept = count > 0;
    if (count > 1)
        qsort(numbers, count, sizeof(int32_t), ascending);
    for (int64_t at = 1; at < count; at++)
        if (numbers[at] != numbers[kept - 1])
            numbers[kept++] = numbers[at];
    return kept;
}

static PyObject *tokens_of(PyObject *module, PyObject *args)
{
    Py_buffer in[MOST_BUFFERS] = {{0}};
    Py_ssize_t elements;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*n", &in[0], &in[1], &in[2], &in[3], &in[4], &elements))
        return NULL;
    elements = elements > 0 ? elements : 0;
    const int32_t *element = in[0].buf, *value = in[1].buf, *tokens = in[3].buf, *buckets = in[4].buf;
    const int64_t *start = in[2].buf, pairs = in[0].len / 4;
    PyObject *result = NULL;
    int64_t *end = PyMem_Calloc(elements + 1, sizeof(int64_t)), size = 0; /* of the element before */
    for (int64_t pair = 0; end && pair < pairs; pair++)
        if (element[pair] >= 0 && element[pair] < elements)
            end[element[pair] + 1] += start[value[pair] + 1] - start[value[pair]];
        else
            PyErr_Format(PyExc_ValueError, "no element %d", element[pair]);
    for (Py_ssize_t each = 0; end && each < elements; each++)
        end[each + 1] += end[each];
    const int64_t total = end ? end[elements] : 0;
    int32_t *rows = PyErr_Occurred() ? NULL : PyMem_Malloc((total + 1) * sizeof(int32_t));
    for (int64_t pair = 0; end && rows && pair < pairs; pair++)
        for (int64_t at = start[value[pair]]; at < start[value[pair] + 1]; at++)
            rows[--end[element[pair] + 1]] = tokens[at];
    for (Py_ssize_t each = 0; end && rows && each < elements; each++) { /* ends are now beginnings */
        const int64_t first = end[each + 1], next = each + 1 < elements ? end[each + 2] : total;
        const int64_t kept = distinct(rows + first, next - first);
        for (int64_t at = first; at < first + kept; at++)
            rows[size++] = buckets[rows[at]];
        end[each + 1] = size;
    }
    if (end && rows)
        result = Py_BuildValue("y#y#", (const char *)end, (Py_ssize_t)((elements + 1) * 8), (const char *)rows,
                               (Py_ssize_t)(size * 4));
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    PyMem_Free(end);
    PyMem_Free(rows);
    release(in);
    return result;
}

/* Tokens of words and of pairs of words, which are the bits of hashes from `FIRST_BIT` on. */
enum { FIRST_BIT = 40 };

static PyObject *word_tokens(PyObject *module, PyObject *args)
{
    Py_buffer in[MOST_BUFFERS] = {{0}};
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(args, "y*y*y*n", &in[0], &in[1], &in[2], &rows))
        return NULL;
    rows = rows > 0 ? rows : 0;
    const int32_t *owner = in[0].buf;
    const uint64_t *hash = in[1].buf, *pair = in[2].buf;
    const int64_t words = in[0].len / 4;
    PyObject *result = NULL;
    int64_t *start = PyMem_Calloc(rows + 1, sizeof(int64_t)), size = 0;
    int32_t *tokens = PyMem_Malloc((2 * words + 1) * sizeof(int32_t));
    for (int64_t row = 0, first = 0, end = 0; start && tokens && row < rows; row++, first = end) {
        for (; end < words && owner[end] == row; end++)
            tokens[size++] = (int32_t)((hash[end] >> FIRST_BIT) % BUCKETS);
        for (int64_t word = first; word + 1 < end; word++)
            tokens[size++] = (int32_t)((pair[word] >> FIRST_BIT) % BUCKETS);
        start[row + 1] = size;
    }
    if (start && tokens)
        result = Py_BuildValue("y#y#", (const char *)start, (Py_ssize_t)((rows + 1) * 8), (const char *)tokens,
                               (Py_ssize_t)(size * 4));
    else
        PyErr_NoMemory();
    PyMem_Free(start);
    PyMem_Free(tokens);
    release(in);
    return result;
}

static PyMethodDef methods[] = {
    {"names_of", names_of, METH_VARARGS, "Return the words, tokens and hashes of values."},
    {"row_sums", row_sums, METH_VARARGS, "Return the sums of the weights of rows of numbers."},
    {"bits_of", bits_of, METH_VARARGS, "Return the bits of the words of values."},
    {"tokens_of", tokens_of, METH_VARARGS, "Return the distinct tokens of elements."},
    {"word_tokens", word_tokens, METH_VARARGS, "Return the tokens of words and of pairs of words."},
    {NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_names", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__names(void)
{
    PyObject *random = PyUnicode_FromString("random for every process");
    if (!random)
        return NULL;
    secret = (uint64_t)PyObject_Hash(random);
    Py_DECREF(random);
    make_crc_table();
    return PyModule_Create(&definition);
}
