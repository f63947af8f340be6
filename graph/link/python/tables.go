package python

import "strings"

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// builtins are the names that Python defines everywhere.
var builtins = set(`
	ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
	BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
	ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis
	EncodingWarning EnvironmentError Exception ExceptionGroup False FileExistsError
	FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
	ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
	KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError
	NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning
	PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError
	RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit
	TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
	UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError
	ZeroDivisionError __build_class__ __class__ __debug__ __doc__ __import__ __loader__ __name__
	__package__ __spec__ abs aiter all anext any ascii basestring bin bool breakpoint bytearray
	bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod
	enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id
	input int isinstance issubclass iter len license list locals long map max memoryview min next
	object oct open ord pow print property quit range raw_input repr reveal_type reversed round set
	setattr slice sorted staticmethod str sum super tuple type unichr unicode vars xrange zip
`)

// stdlib are the modules of the standard library. A package of the same name
// hides one only for files below its own root.
var stdlib = set(`
	abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
	binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop
	collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg
	crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email
	encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib
	functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
	http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3
	linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
	msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse
	os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix
	posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri
	random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve
	shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
	sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable
	sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time
	timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types
	typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound
	wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`)

// moduleAttributes are names that every module has.
var moduleAttributes = set(`
	__annotations__ __builtins__ __cached__ __dict__ __doc__ __file__ __loader__ __name__
	__package__ __path__ __spec__
`)

// objectMembers are members that every object, class or function has.
var objectMembers = set(`
	__annotations__ __bases__ __class__ __code__ __defaults__ __delattr__ __dict__ __dir__ __doc__
	__eq__ __format__ __func__ __ge__ __getattribute__ __getstate__ __gt__ __hash__ __init__
	__init_subclass__ __le__ __lt__ __module__ __mro__ __name__ __ne__ __new__ __qualname__
	__reduce__ __reduce_ex__ __repr__ __self__ __setattr__ __sizeof__ __slots__ __str__
	__subclasses__ __subclasshook__ __weakref__ __wrapped__ mro
`)

// commonMembers are members of the built-in types. On an object that is not
// known they say nothing about which class is meant.
var commonMembers = set(`
	add append appendleft as_integer_ratio bit_count bit_length buffer capitalize casefold center
	clear close closed conjugate copy count decode denominator detach difference difference_update
	discard elements encode encoding endswith errors expandtabs extend extendleft fileno find flush
	format format_map from_bytes fromhex fromkeys get getbuffer getvalue hex imag index insert
	intersection intersection_update is_integer isalnum isalpha isascii isatty isdecimal isdigit
	isdisjoint isidentifier islower isnumeric isprintable isspace issubset issuperset istitle
	isupper items join keys line_buffering ljust lower lstrip maketrans maxlen most_common
	move_to_end name newlines numerator partition pop popitem popleft read read1 readable readinto
	readinto1 readline readlines real reconfigure remove removeprefix removesuffix replace reverse
	rfind rindex rjust rotate rpartition rsplit rstrip seek seekable setdefault sort split
	splitlines startswith strip subtract swapcase symmetric_difference symmetric_difference_update
	tell title to_bytes total translate truncate union update upper values writable write
	write_through writelines zfill
`)

// injectedNames are put into the builtins by gettext, notebooks and test tools.
var injectedNames = set(`
	_ ngettext get_ipython display reveal_type reveal_locals profile WindowsError unicode exit quit
`)

// keeping are decorators that leave the function callable as it is written.
var keeping = set(`
	abstractmethod asynccontextmanager cache cached_property classmethod contextmanager deprecated final lru_cache
	no_type_check overload override property setter getter deleter staticmethod wraps dataclass total_ordering unique
	runtime_checkable coroutine singledispatch
`)

// builtinMethods are the special methods that built-in functions call on their
// first argument.
var builtinMethods = map[string]string{
	"abs": "__abs__", "all": "__iter__", "any": "__iter__", "bool": "__bool__ __len__", "bytes": "__bytes__", "dict": "__iter__ keys",
	"dir": "__dir__", "enumerate": "__iter__", "float": "__float__", "format": "__format__", "frozenset": "__iter__", "hash": "__hash__",
	"int": "__int__", "iter": "__iter__", "len": "__len__", "list": "__iter__", "max": "__iter__", "min": "__iter__", "next": "__next__",
	"print": "__str__", "repr": "__repr__", "reversed": "__reversed__", "round": "__round__", "set": "__iter__", "sorted": "__iter__",
	"str": "__str__", "sum": "__iter__", "tuple": "__iter__", "zip": "__iter__",
}

// raising are what tests expect an exception with.
var raising = set("raises assertRaises assertRaisesRegex suppress")

// calling are functions of the standard library that call a function that they
// are given before they return.
var calling = set("filter filterfalse groupby map max min reduce sort sorted starmap sub subn takewhile dropwhile")

// ordering compares the elements of its first argument.
var ordering = set("max min sorted")

// containers are types that iterate over their first argument.
var containers = set(`
	AbstractSet AsyncGenerator AsyncIterable AsyncIterator Collection Container Deque FrozenSet Generator Iterable
	Iterator List MutableSequence MutableSet Reversible Sequence Set deque frozenset list set KeysView ValuesView
`)

// mappings are types from their first argument to their second.
var mappings = set(`
	ChainMap DefaultDict Dict Mapping MutableMapping OrderedDict defaultdict dict WeakValueDictionary
`)

// keepers are types whose get gives their one argument.
var keepers = set(`
	ContextVar LifoQueue PriorityQueue Queue SimpleQueue
`)

// managers are context managers that give their first argument.
var managers = set(`
	AbstractAsyncContextManager AbstractContextManager AsyncContextManager ContextManager
`)

// builtinFixtures are fixtures of pytest itself and of its usual plugins.
var builtinFixtures = set(`
	cache capfd capfdbinary caplog capsys capsysbinary doctest_namespace mocker monkeypatch pytestconfig pytester
	record_property record_testsuite_property record_xml_attribute recwarn request testdir tmp_path tmp_path_factory
	tmpdir tmpdir_factory
`)
