/* Read the elements, attributes and texts of an lxml tree as columns, and search in them; see parse.py and tree.py.
 *
 * lxml makes an object of every element, list of attributes and text that Python reads. This module visits the nodes of
 * libxml2 below one element instead, in a fiftieth of the time. `LxmlElement` is part of the C interface of lxml
 * (lxml.etree.h), and the nodes are those of libxml2 (libxml/tree.h). Only their first fields are declared here.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>
#include <string.h>

enum { ELEMENT = 1, TEXT = 3, CDATA = 4 };

typedef struct Node {
    void *private;
    int type;
    const char *name;
    struct Node *children, *last, *parent, *next, *previous;
    void *document, *namespace;
    const char *content;
    struct Attribute *properties;
} Node;

typedef struct Attribute {
    void *private;
    int type;
    const char *name;
    Node *children, *last, *parent;
    struct Attribute *next;
} Attribute;

typedef struct {
    PyObject_HEAD
    PyObject *document;
    Node *node;
    PyObject *tag;
} LxmlElement;

static PyTypeObject *element_type;

/* Return the next node below `root` in document order, or NULL; `closed` receives how many elements end before it. */
static const Node *next_node(const Node *node, const Node *root, Py_ssize_t *closed)
{
    *closed = 0;
    if (node->type == ELEMENT && node->children)
        return node->children;
    for (; node != root; node = node->parent) {
        *closed += node->type == ELEMENT;
        if (node->next)
            return node->next;
    }
    return NULL;
}

static int is_text(const Node *node)
{
    return node && (node->type == TEXT || node->type == CDATA);
}

static int append_list(PyObject *list, PyObject *text)
{
    const int failed = !text || PyList_Append(list, text) < 0;
    Py_XDECREF(text);
    return !failed;
}

static PyObject *content_of(const Node *node)
{
    return PyUnicode_FromString(node->content ? node->content : "");
}

/* Return the contents of consecutive texts as a string; `last` receives the last of them. A page may have many: where
 * scripts were removed. */
static PyObject *text_from(const Node *node, const Node **last)
{
    *last = node;
    if (!is_text(node->next))
        return content_of(node);
    PyObject *parts = PyList_New(0), *none = PyUnicode_FromString(""), *text = NULL;
    int complete = parts && none && append_list(parts, content_of(node));
    while (complete && is_text((*last)->next)) {
        *last = (*last)->next;
        complete = append_list(parts, content_of(*last));
    }
    if (complete)
        text = PyUnicode_Join(none, parts);
    Py_XDECREF(parts);
    Py_XDECREF(none);
    return text;
}

/* Return the number of a name in a dictionary; if it is missing, what `__missing__` of a subclass returns, or -1, or with
 * `adds` the next number. -2 is an error. */
static int32_t number_of(PyObject *numbers, const char *name, int adds)
{
    PyObject *key = PyUnicode_FromString(name), *number = NULL;
    int32_t found = -2;
    if (!key)
        return found;
    number = PyDict_GetItemWithError(numbers, key);
    if (number)
        found = (int32_t)PyLong_AsLong(number);
    else if (!PyErr_Occurred() && !PyDict_CheckExact(numbers)) {
        number = PyObject_GetItem(numbers, key);
        found = number ? (int32_t)PyLong_AsLong(number) : -2;
        Py_XDECREF(number);
    } else if (!PyErr_Occurred()) {
        found = adds ? (int32_t)PyDict_Size(numbers) : -1;
        PyObject *added = adds ? PyLong_FromLong(found) : NULL;
        if (adds && (!added || PyDict_SetItem(numbers, key, added) < 0))
            found = -2;
        Py_XDECREF(added);
    }
    Py_DECREF(key);
    return found;
}

/* Numbers of names by their address: libxml2 stores equal names of a document once. */
enum { SLOTS = 1024 };
typedef struct {
    const char *name[SLOTS];
    int32_t number[SLOTS];
} Cache;

static int32_t cached_number(Cache *cache, PyObject *numbers, const char *name, int adds)
{
    const size_t slot = ((uintptr_t)name >> 2) % SLOTS;
    if (cache->name[slot] != name) {
        cache->number[slot] = number_of(numbers, name, adds);
        cache->name[slot] = name;
    }
    return cache->number[slot];
}

/* Append int32 numbers to a bytearray; return 0 on errors. */
static int append(PyObject *array, Py_ssize_t row, int32_t number)
{
    Py_ssize_t size = PyByteArray_Size(array);
    if ((row + 1) * 4 > size && PyByteArray_Resize(array, (row + 1) * 8) < 0)
        return 0;
    ((int32_t *)PyByteArray_AsString(array))[row] = number;
    return 1;
}

enum { TAG, PARENT, END, DEPTH, ATTRIBUTE_NODE, ATTRIBUTE_NAME, TEXT_PARENT, TEXT_AFTER, ARRAYS };

typedef struct {
    PyObject *array[ARRAYS], *tags, *values, *texts, *names;
    Py_ssize_t elements, attributes;
    Cache tag_cache, name_cache;
} Columns;

static int add_attributes(Columns *columns, const Node *element)
{
    for (const Attribute *each = element->properties; each; each = each->next) {
        const int32_t name = cached_number(&columns->name_cache, columns->names, each->name, 0);
        if (name == -1)
            continue;
        if (name < 0)
            return 0;
        const Node *last;
        PyObject *value = each->children ? text_from(each->children, &last) : PyUnicode_FromString("");
        if (!append_list(columns->values, value) ||
            !append(columns->array[ATTRIBUTE_NODE], columns->attributes, (int32_t)columns->elements) ||
            !append(columns->array[ATTRIBUTE_NAME], columns->attributes, name))
            return 0;
        columns->attributes++;
    }
    return 1;
}

static int add_element(Columns *columns, const Node *element, int32_t parent, int32_t depth)
{
    const int32_t tag = cached_number(&columns->tag_cache, columns->tags, element->name, 1);
    const Py_ssize_t row = columns->elements;
    if (tag < 0 || !append(columns->array[TAG], row, tag) || !append(columns->array[PARENT], row, parent) ||
        !append(columns->array[END], row, (int32_t)row + 1) || !append(columns->array[DEPTH], row, depth) ||
        !add_attributes(columns, element))
        return 0;
    columns->elements++;
    return 1;
}

static int add_text(Columns *columns, const Node **node, int32_t parent)
{
    PyObject *text = text_from(*node, node);
    if (text && PyUnicode_GetLength(text) == 0) {
        Py_DECREF(text);
        return 1;
    }
    const Py_ssize_t row = PyList_Size(columns->texts);
    return append_list(columns->texts, text) && append(columns->array[TEXT_PARENT], row, parent) &&
           append(columns->array[TEXT_AFTER], row, (int32_t)columns->elements - 1);
}

/* Visit the nodes below `root`; return 0 on errors. Stop after `limit` + 1 elements. */
static int visit(Columns *columns, const Node *root, Py_ssize_t limit)
{
    int32_t parent = -1, depth = 0;
    for (const Node *node = root; node && columns->elements <= limit;) {
        if (node->type == ELEMENT) {
            if (!add_element(columns, node, parent, depth++))
                return 0;
            parent = (int32_t)columns->elements - 1;
        } else if (is_text(node) && !add_text(columns, &node, parent))
            return 0;
        Py_ssize_t closed;
        node = next_node(node, root, &closed);
        for (depth -= (int32_t)closed; closed; closed--) {
            ((int32_t *)PyByteArray_AsString(columns->array[END]))[parent] = (int32_t)columns->elements;
            parent = ((int32_t *)PyByteArray_AsString(columns->array[PARENT]))[parent];
        }
    }
    for (; parent >= 0; parent = ((int32_t *)PyByteArray_AsString(columns->array[PARENT]))[parent])
        ((int32_t *)PyByteArray_AsString(columns->array[END]))[parent] = (int32_t)columns->elements;
    return 1;
}

static PyObject *result(Columns *columns)
{
    const Py_ssize_t rows[ARRAYS] = {columns->elements,         columns->elements,   columns->elements,
                                     columns->elements,         columns->attributes, columns->attributes,
                                     PyList_Size(columns->texts), PyList_Size(columns->texts)};
    for (int each = 0; each < ARRAYS; each++)
        if (PyByteArray_Resize(columns->array[each], rows[each] * 4) < 0)
            return NULL;
    PyObject **array = columns->array;
    return PyTuple_Pack(ARRAYS + 3, columns->tags, array[TAG], array[PARENT], array[END], array[DEPTH],
                        array[ATTRIBUTE_NODE], array[ATTRIBUTE_NAME], columns->values, columns->texts,
                        array[TEXT_PARENT], array[TEXT_AFTER]);
}

/* Drop the values of `data-names` that are too long or name no id of the page; return 0 on errors. */
static int drop_other_names(Columns *columns, Py_ssize_t longest)
{
    const int32_t id = number_of(columns->names, "id", 0), other = number_of(columns->names, "data-names", 0);
    int32_t *node = (int32_t *)PyByteArray_AsString(columns->array[ATTRIBUTE_NODE]);
    int32_t *name = (int32_t *)PyByteArray_AsString(columns->array[ATTRIBUTE_NAME]);
    PyObject *values = columns->values, *ids = PySet_New(NULL);
    int complete = id != -2 && other != -2 && ids;
    for (Py_ssize_t row = 0; complete && row < columns->attributes; row++)
        if (name[row] == id)
            complete = PySet_Add(ids, PyList_GetItem(values, row)) == 0;
    Py_ssize_t count = 0;
    for (Py_ssize_t row = 0; complete && row < columns->attributes; row++) {
        PyObject *value = PyList_GetItem(values, row);
        const Py_ssize_t size = PyUnicode_GetLength(value);
        if (name[row] == other && (size == 0 || size > longest || (!PySet_Contains(ids, value) &&
                                                                   PyUnicode_FindChar(value, '#', 0, size, 1) < 0)))
            continue;
        node[count] = node[row];
        name[count] = name[row];
        if (count < row)
            complete = PyList_SetItem(values, count, Py_NewRef(value)) == 0;
        count++;
    }
    Py_XDECREF(ids);
    columns->attributes = count;
    return complete && PyList_SetSlice(values, count, PyList_Size(values), NULL) == 0;
}

/* Import lxml, which `vclean --help` does without; return 0 if it has other elements. */
static int find_element_type(void)
{
    PyObject *etree = element_type ? NULL : PyImport_ImportModule("lxml.etree");
    PyObject *type = etree ? PyObject_GetAttrString(etree, "_Element") : NULL;
    PyObject *size = type ? PyObject_GetAttrString(type, "__basicsize__") : NULL;
    const Py_ssize_t bytes = size ? PyLong_AsSsize_t(size) : 0;
    if (bytes >= (Py_ssize_t)sizeof(LxmlElement))
        element_type = (PyTypeObject *)Py_NewRef(type);
    else if (size)
        PyErr_SetString(PyExc_ImportError, "this version of lxml has other elements: install lxml 6");
    Py_XDECREF(etree);
    Py_XDECREF(type);
    Py_XDECREF(size);
    return element_type != NULL;
}

static PyObject *columns_of(PyObject *module, PyObject *args)
{
    PyObject *root, *names, *all = NULL;
    Py_ssize_t limit, longest = 0;
    if (!find_element_type() ||
        !PyArg_ParseTuple(args, "O!O!n|n", element_type, &root, &PyDict_Type, &names, &limit, &longest))
        return NULL;
    Columns *columns = PyMem_Calloc(1, sizeof(Columns));
    if (!columns)
        return PyErr_NoMemory();
    int complete = (columns->tags = PyDict_New()) && (columns->values = PyList_New(0)) &&
                   (columns->texts = PyList_New(0));
    columns->names = names;
    for (int each = 0; each < ARRAYS && complete; each++)
        complete = (columns->array[each] = PyByteArray_FromStringAndSize(NULL, 0)) != NULL;
    if (complete && visit(columns, ((LxmlElement *)root)->node, limit) && drop_other_names(columns, longest))
        all = result(columns);
    for (int each = 0; each < ARRAYS; each++)
        Py_XDECREF(columns->array[each]);
    Py_XDECREF(columns->tags);
    Py_XDECREF(columns->values);
    Py_XDECREF(columns->texts);
    PyMem_Free(columns);
    return all;
}

/* White space of `str.split` in ASCII. */
static int is_space(char character)
{
    return character == ' ' || (character >= '\t' && character <= '\r') || (character >= 0x1C && character <= 0x1F);
}

/* Return an ASCII text on one line: as it is, or copied to `line` with one space between its words. */
static PyObject *ascii_line(PyObject *text, const char *characters, Py_ssize_t size, char *line)
{
    Py_ssize_t count = 0;
    int changes = 0;
    for (Py_ssize_t at = 0; at < size; at++) {
        const int space = is_space(characters[at]);
        if (space && (count == 0 || line[count - 1] == ' ')) {
            changes = 1;
            continue;
        }
        changes |= space && characters[at] != ' ';
        line[count++] = space ? ' ' : characters[at];
    }
    if (count && line[count - 1] == ' ') {
        count--;
        changes = 1;
    }
    return changes ? PyUnicode_FromStringAndSize(line, count) : Py_NewRef(text);
}

/* Return a text with one space between its words; `space` is the string of one space. */
static PyObject *line_of(PyObject *text, PyObject *space)
{
    Py_ssize_t size;
    const char *characters = PyUnicode_AsUTF8AndSize(text, &size);
    if (!characters)
        PyErr_Clear(); /* surrogates */
    if (characters && size == PyUnicode_GetLength(text)) {
        char *line = PyMem_Malloc(size + 1);
        PyObject *result = line ? ascii_line(text, characters, size, line) : PyErr_NoMemory();
        PyMem_Free(line);
        return result;
    }
    PyObject *words = PyUnicode_Split(text, NULL, -1), *result = words ? PyUnicode_Join(space, words) : NULL;
    Py_XDECREF(words);
    return result;
}

static PyObject *lines_of(PyObject *module, PyObject *texts)
{
    PyObject *space = PyUnicode_FromString(" "), *lines = space ? PySequence_List(texts) : NULL;
    for (Py_ssize_t row = 0; lines && row < PyList_Size(lines); row++) {
        PyObject *line = line_of(PyList_GetItem(lines, row), space);
        if (!line || PyList_SetItem(lines, row, line) < 0)
            Py_CLEAR(lines);
    }
    Py_XDECREF(space);
    return lines;
}

static unsigned char lower(char character)
{
    return character >= 'A' && character <= 'Z' ? character + 'a' - 'A' : (unsigned char)character;
}

static int begins_with(const char *text, Py_ssize_t left, const char *word, Py_ssize_t size)
{
    Py_ssize_t at = 0;
    while (at < size && at < left && lower(text[at]) == (unsigned char)word[at])
        at++;
    return at == size;
}

enum { MOST_WORDS = 32, BEGINNINGS = 1 << 12 };

/* A number with the slot of three bytes in its low bits, from that before and the next byte; case does not count. */
static unsigned int next_slot(unsigned int slot, char byte)
{
    return slot << 4 ^ ((unsigned char)byte | 0x20);
}

/* Return the bytes of `bytes` or of a string in UTF-8, or NULL on errors. */
static const char *bytes_of(PyObject *text, Py_ssize_t *size)
{
    char *bytes = NULL;
    if (PyUnicode_Check(text))
        return PyUnicode_AsUTF8AndSize(text, size);
    return PyBytes_AsStringAndSize(text, &bytes, size) < 0 ? NULL : bytes;
}

/* One pass over the text: a word, of three bytes or more, is compared only where the slot is that of its first three. */
static PyObject *words_in(PyObject *module, PyObject *args)
{
    const char *text, *word[MOST_WORDS];
    Py_ssize_t size, length[MOST_WORDS], count;
    PyObject *source, *words;
    uint32_t found = 0, begins[BEGINNINGS] = {0}; /* a bit for every word */
    if (!PyArg_ParseTuple(args, "SO!", &source, &PyTuple_Type, &words) || !(text = bytes_of(source, &size)))
        return NULL;
    count = PyTuple_Size(words);
    if (count > MOST_WORDS)
        return PyErr_Format(PyExc_ValueError, "more than %d words", MOST_WORDS);
    for (Py_ssize_t each = 0; each < count; each++) {
        if (!(word[each] = bytes_of(PyTuple_GetItem(words, each), &length[each])))
            return NULL;
        if (length[each] < 3)
            return PyErr_Format(PyExc_ValueError, "a word of %zd bytes", length[each]);
        const unsigned int slot = next_slot(next_slot(next_slot(0, word[each][0]), word[each][1]), word[each][2]);
        begins[slot % BEGINNINGS] |= (uint32_t)1 << each;
    }
    unsigned int slot = 0;
    for (Py_ssize_t at = 0; at < size; at += 2) { /* by two, which is faster; a zero ends the text */
        const unsigned int first = next_slot(slot, text[at]);
        slot = next_slot(first, text[at + 1]);
        const uint32_t open = (begins[first % BEGINNINGS] | begins[slot % BEGINNINGS]) & ~found;
        for (Py_ssize_t each = 0; at >= 2 && open && each < count; each++)
            if (open >> each & 1 && (begins_with(text + at - 2, size - at + 2, word[each], length[each]) ||
                                     begins_with(text + at - 1, size - at + 1, word[each], length[each])))
                found |= (uint32_t)1 << each;
    }
    PyObject *result = PyList_New(0);
    for (Py_ssize_t each = 0; result && each < count; each++)
        if (found >> each & 1 && PyList_Append(result, PyTuple_GetItem(words, each)) < 0)
            Py_CLEAR(result);
    return result;
}

/* Return `size` bytes of memory as an object, and free the memory. */
static PyObject *freed(char *bytes, Py_ssize_t size)
{
    PyObject *result = bytes ? PyBytes_FromStringAndSize(bytes, size) : PyErr_NoMemory();
    PyMem_Free(bytes);
    return result;
}

static PyObject *line_feeds(PyObject *module, PyObject *source)
{
    char *text;
    Py_ssize_t size, at = 0, count = 0;
    if (PyBytes_AsStringAndSize(source, &text, &size) < 0)
        return NULL;
    if (!memchr(text, '\r', size))
        return Py_NewRef(source);
    char *copy = PyMem_Malloc(size);
    while (copy && at < size) {
        const char *end = memchr(text + at, '\r', size - at);
        const Py_ssize_t length = end ? end - text - at : size - at;
        memcpy(copy + count, text + at, length);
        at += length;
        count += length;
        if (end) {
            copy[count++] = '\n';
            at += text[at + 1] == '\n' ? 2 : 1; /* a zero ends the text */
        }
    }
    return freed(copy, count);
}

static int may_need_edits(const char *tag)
{
    const unsigned char first = lower(tag[1]);
    const char *second = first == 'i' ? "f" : first == 'n' ? "o" : first == 's' ? "cet" : first == 't' ? "ei" : "";
    return first == 'x' || (*second && strchr(second, lower(tag[2])));
}

static PyObject *starts_in(PyObject *module, PyObject *source)
{
    char *text = NULL;
    Py_ssize_t size, characters = 0;
    PyObject *starts = PyBytes_AsStringAndSize(source, &text, &size) < 0 ? NULL : PyList_New(0);
    const char *end = starts ? text + size : NULL;
    for (const char *tag = text, *last = text; starts && (tag = memchr(tag, '<', end - tag)); tag++) {
        if (!may_need_edits(tag))
            continue;
        for (; last < tag; last++)
            characters += (*last & 0xC0) != 0x80;
        if (!append_list(starts, PyLong_FromSsize_t(characters)))
            Py_CLEAR(starts);
    }
    return starts;
}

enum { CHUNK = 64 };

static int is_control(unsigned char byte)
{
    return (byte < ' ') & (byte != '\t') & (byte != '\n') & (byte != '\r');
}

/* Return whether `clean` copies a chunk; it has two more bytes. Compilers make few instructions of this loop. */
static int is_clean(const unsigned char *text)
{
    unsigned char found = 0;
    for (int at = 0; at < CHUNK; at++) {
        const unsigned char third = text[at + 2] | 0x20;
        found |= is_control(text[at]) | ((text[at] == 0xEF) & (text[at + 1] == 0xBF)) |
                 ((text[at] == '<') & (text[at + 1] == '/') & ((third == 'b') | (third == 'h')));
    }
    return !found;
}

/* Return the size of an end tag of `body` or `html`, or 0. */
static Py_ssize_t body_end(const char *text, Py_ssize_t left)
{
    Py_ssize_t at = 6;
    if (!begins_with(text, left, "</body", 6) && !begins_with(text, left, "</html", 6))
        return 0;
    while (at < left && (unsigned char)text[at] <= ' ')
        at++;
    return at < left && text[at] == '>' ? at + 1 : 0;
}

static PyObject *clean(PyObject *module, PyObject *source)
{
    char *text;
    Py_ssize_t size, at = 0, count = 0;
    if (PyBytes_AsStringAndSize(source, &text, &size) < 0)
        return NULL;
    char *copy = PyMem_Malloc(size);
    while (copy && at < size) {
        const Py_ssize_t end = at + CHUNK < size ? at + CHUNK : size;
        if (end + 2 <= size && is_clean((unsigned char *)text + at)) {
            memcpy(copy + count, text + at, CHUNK);
            count += CHUNK;
            at = end;
        }
        while (at < end) {
            const int none = size - at > 2 && memcmp(text + at, "\xEF\xBF", 2) == 0 && (unsigned char)text[at + 2] >= 0xBE;
            const Py_ssize_t skipped = text[at] == '<' ? body_end(text + at, size - at) : 0;
            if (!skipped)
                copy[count++] = none || is_control(text[at]) ? ' ' : text[at];
            at += skipped ? skipped : none ? 3 : 1;
        }
    }
    return freed(copy, count);
}

/* A byte and an int32 of every element, in preorder. */
typedef struct {
    Py_buffer mask, numbers;
} Marked;

/* Return a bytearray with `width` bytes for every element, or NULL on errors. */
static PyObject *read_marked(PyObject *args, Marked *marked, int width)
{
    if (!PyArg_ParseTuple(args, "y*y*", &marked->mask, &marked->numbers))
        return NULL;
    if (marked->numbers.len == marked->mask.len * 4)
        return PyByteArray_FromStringAndSize(NULL, marked->mask.len * width);
    return PyErr_Format(PyExc_ValueError, "%zd bytes for %zd elements", marked->numbers.len, marked->mask.len);
}

static void release(Marked *marked)
{
    PyBuffer_Release(&marked->mask);
    PyBuffer_Release(&marked->numbers);
}

/* In preorder, the nearest of a parent is known before that of its child. */
static PyObject *nearest_ancestor(PyObject *module, PyObject *args)
{
    Marked marked = {0};
    PyObject *result = read_marked(args, &marked, 4);
    const char *mask = marked.mask.buf;
    const int32_t *parents = marked.numbers.buf;
    int32_t *nearest = result ? (int32_t *)PyByteArray_AsString(result) : NULL;
    for (int32_t each = 0; result && each < marked.mask.len; each++) {
        const int32_t parent = parents[each];
        nearest[each] = mask[each] ? each : parent >= 0 && parent < each ? nearest[parent] : 0;
    }
    release(&marked);
    return result;
}

static PyObject *inside(PyObject *module, PyObject *args)
{
    Marked marked = {0};
    PyObject *result = read_marked(args, &marked, 1);
    const char *mask = marked.mask.buf;
    const int32_t *ends = marked.numbers.buf;
    char *is_inside = result ? PyByteArray_AsString(result) : NULL;
    int32_t end = 0;
    for (int32_t each = 0; result && each < marked.mask.len; each++) {
        end = mask[each] && ends[each] > end ? ends[each] : end;
        is_inside[each] = each < end;
    }
    release(&marked);
    return result;
}

/* Sums of `width` numbers of each element, over its subtree or the path to it: differences of running totals, so that
 * sums of floating-point numbers are always rounded alike. `sum` has a row more than there are elements. */
#define SUMS(NAME, NUMBER)                                                                                            \
    static void NAME(NUMBER *sum, const NUMBER *value, const int32_t *end, int64_t rows, int64_t width, int on_path)  \
    {                                                                                                                 \
        const int64_t size = rows * width;                                                                            \
        memset(sum + (on_path ? size : 0), 0, width * sizeof(NUMBER));                                                \
        for (int64_t at = 0; at < size; at++)                                                                         \
            sum[on_path ? at : at + width] = on_path ? value[at] : sum[at] + value[at];                               \
        for (int64_t row = 0, at = 0; row < rows; row++)                                                              \
            for (int64_t column = end[row] * width; column < (end[row] + 1) * width; column++, at++)                  \
                if (on_path)                                                                                          \
                    sum[column] -= value[at];                                                                         \
                else                                                                                                  \
                    sum[at] = sum[column] - sum[at];                                                                  \
        for (int64_t at = width; on_path && at < size; at++)                                                          \
            sum[at] += sum[at - width];                                                                               \
    }

SUMS(sums_of_floats, double)
SUMS(sums_of_integers, uint64_t)

static PyObject *sums(PyObject *module, PyObject *args)
{
    Py_buffer values, ends;
    int is_float, on_path;
    if (!PyArg_ParseTuple(args, "y*y*pp", &values, &ends, &is_float, &on_path))
        return NULL;
    const int64_t rows = ends.len / 4, width = rows ? values.len / 8 / rows : 0;
    const int32_t *end = ends.buf;
    PyObject *result = NULL;
    int is_valid = values.len == rows * width * 8;
    for (int64_t row = 0; row < rows; row++)
        is_valid &= end[row] >= 0 && end[row] <= rows;
    if (!is_valid)
        PyErr_SetString(PyExc_ValueError, "values do not fit the subtrees");
    else if ((result = PyByteArray_FromStringAndSize(NULL, (rows + 1) * width * 8))) {
        char *sum = PyByteArray_AsString(result);
        if (is_float)
            sums_of_floats((double *)sum, values.buf, end, rows, width, on_path);
        else
            sums_of_integers((uint64_t *)sum, values.buf, end, rows, width, on_path);
    }
    PyBuffer_Release(&values);
    PyBuffer_Release(&ends);
    return result;
}

/* Parents come before their children, so that every step leads towards 0. */
static PyObject *climb(PyObject *module, PyObject *args)
{
    Py_buffer parents, counts, elements;
    double growth;
    if (!PyArg_ParseTuple(args, "y*y*y*d", &parents, &counts, &elements, &growth))
        return NULL;
    const int32_t *parent = parents.buf, *element = elements.buf;
    const double *count = counts.buf;
    const int64_t size = parents.len / 4, rows = elements.len / 4;
    int is_valid = counts.len / 8 == size;
    for (int64_t each = 0; each < size; each++)
        is_valid &= parent[each] <= each && parent[each] >= 0;
    for (int64_t row = 0; row < rows; row++)
        is_valid &= element[row] >= 0 && element[row] < size;
    PyObject *result = is_valid ? PyByteArray_FromStringAndSize(NULL, rows * 4)
                                : PyErr_Format(PyExc_ValueError, "elements do not fit the tree");
    int32_t *above = result ? (int32_t *)PyByteArray_AsString(result) : NULL;
    for (int64_t row = 0; above && row < rows; row++) {
        above[row] = parent[element[row]];
        while (above[row] > 0 && parent[above[row]] < above[row] && count[above[row]] < count[element[row]] * growth)
            above[row] = parent[above[row]];
    }
    PyBuffer_Release(&parents);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&elements);
    return result;
}

static PyMethodDef methods[] = {
    {"columns_of", columns_of, METH_VARARGS, "Return the columns of a tree."},
    {"lines_of", lines_of, METH_O, "Return texts with one space between words."},
    {"inside", inside, METH_VARARGS, "Return which elements are marked, or inside of others that are."},
    {"nearest_ancestor", nearest_ancestor, METH_VARARGS, "Return the nearest marked element around each element."},
    {"sums", sums, METH_VARARGS, "Return sums over subtrees or paths."},
    {"climb", climb, METH_VARARGS, "Return the nearest ancestors with larger counts."},
    {"clean", clean, METH_O, "Return a source without controls, U+FFFE, U+FFFF and the ends of body and root."},
    {"line_feeds", line_feeds, METH_O, "Return bytes with line feeds as line ends."},
    {"starts_in", starts_in, METH_O, "Return where tags begin that may need edits."},
    {"words_in", words_in, METH_VARARGS, "Return which words are in a text."},
    {NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_tree", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__tree(void)
{
    return PyModule_Create(&definition);
}
