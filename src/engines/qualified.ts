// PostgreSQL looks up the name of a function, an operator or a type in all schemas of the search path. `pg_catalog` comes
// first, but an exact match elsewhere wins over one for which `pg_catalog` has to cast: there is no `+(numeric, bigint)` in
// it. So anybody who may create in one schema of the path could have a statement run a function of theirs. With the schema
// in front of every name, nothing is looked up.

/** Words that begin or end an expression, or stand beside one. */
const BOUNDARIES = words(`
  and as asc by case conflict cross default desc do else end exists for from group having in insert into is join lateral left limit
  lock materialized not offset on or order perform recursive return returning select set then union update using values when
  where with`);

/** Words before a parenthesis that name no function, beside the boundaries. The grammar finds some of them in pg_catalog. */
const CONSTRUCTS = words(
  'all any array cast coalesce extract greatest key least numeric over row rows substring unique',
);

/** After these words comes the name of a table or an alias, with a list of columns. */
const NAMING = words('as exists into table');

/** Types that are not words of the grammar, as bigint is. */
const TYPES = words('bytea json name oid regrole text timestamptz uuid');

/** What looks up an operator that cannot be named with its schema. */
const UNQUALIFIABLE =
  /\b(between|i?like|similar|nullif|natural|distinct\s+from|not\s+in|in\s*\(|using\s*\(|case\s+(?!when\b|\s))/;

const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\* state \*\/|\$\d+|[a-z_]\w*|\d[\d.]*|::|[-+*/<>=~!@#%^&|]+|[(),.;[\]]|\s+/gisy;

const PRECEDENCE: { readonly [operator: string]: number } = {
  ...Object.fromEntries(['*', '/', '%'].map((operator) => [operator, 4])),
  ...Object.fromEntries(['+', '-'].map((operator) => [operator, 3])),
  ...Object.fromEntries(['=', '<', '>', '<=', '>=', '<>'].map((operator) => [operator, 1])),
};
const OTHER_OPERATORS = 2;

/**
 * SQL for PostgreSQL in which every operator, function and type is named with the schema `pg_catalog`. Operators that are
 * named so have one precedence, so it adds parentheses.
 * @param sql tables with their schema; quoted names are left as they are
 * @param own functions that are left as they are
 * @throws Error if the SQL has what cannot be named so, such as `in (…)`: write `= any (array[…])`
 */
export function qualified(sql: string, own: readonly string[] = []): string {
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*/g, "''");
  const [found] = UNQUALIFIABLE.exec(bare) ?? [];
  if (found !== undefined) throw new Error(`no schema can be given to the operator of "${found}"`);
  const tokens = sql.match(TOKENS) ?? [];
  if (tokens.join('') !== sql) throw new Error(`unknown SQL after ${tokens.join('').slice(-40)}`);
  return new Reader(tokens, own).group();
}

class Reader {
  #next = 0;
  /** Whether the last group was one expression with an operator. */
  #isJoined = false;

  constructor(
    private readonly tokens: readonly string[],
    private readonly own: readonly string[],
  ) {}

  /** Up to the parenthesis or bracket that closes it, or to the end. */
  group(): string {
    let out = '';
    const operands = [''];
    const operators: string[] = [];
    let before = ''; // the token before, without white space
    let isSetting = false; // in the list of an update, where each item begins with an assignment
    let isAssigning = false;
    const flush = () => {
      out += joined(operands.splice(0), operators.splice(0));
      operands.push('');
    };
    const add = (text: string) => {
      operands[operands.length - 1] += text;
    };
    for (; this.#next < this.tokens.length; this.#next++) {
      const token = this.tokens[this.#next];
      if (token === ')' || token === ']') break;
      if (/^\s/.test(token)) {
        add(token);
        continue;
      }
      const isEmpty = operands.at(-1)?.trim() === '';
      if (token === '(' || token === '[') {
        this.#next++;
        const inner = this.group();
        // What is one expression has parentheses already.
        add(isEmpty && this.#isJoined ? inner : `${token}${inner}${this.tokens[this.#next]}`);
      } else if (BOUNDARIES.has(token) || /^([,;]|--)/.test(token)) {
        flush();
        out += token;
        if (token === 'set') isSetting = true;
        else if (isSetting && /^(where|from|returning)$/.test(token)) isSetting = false;
        isAssigning = isSetting && /^(set|,)$/.test(token);
      } else if (token === '=' && isAssigning) {
        flush();
        out += token;
        isAssigning = false;
      } else if ((token === '*' && (isEmpty || before === '.')) || (token === '-' && isEmpty)) {
        if (token === '-' && !/^\d/.test(this.tokens[this.#next + 1] ?? '')) throw new Error('write 0 - x for -x');
        add(token); // all columns, or a negative number
      } else if (/^[-+*/<>=~!@#%^&|]/.test(token) && !token.startsWith('/*')) {
        operators.push(token);
        operands.push('');
      } else add(this.#named(token, before));
      before = token;
    }
    this.#isJoined = out === '' && operators.length > 0;
    flush();
    return out;
  }

  /** A word with its schema, if it is the name of a function or a type. */
  #named(word: string, before: string): string {
    if (before === '.' || !/^[a-z_]/.test(word)) return word;
    const following = this.tokens.slice(this.#next + 1).find((token) => token.trim() !== '');
    const isFunction = following === '(' && !CONSTRUCTS.has(word) && !NAMING.has(before) && !this.own.includes(word);
    const isType = TYPES.has(word) && following !== '.' && (before === '::' || !/^(name|oid)$/.test(word));
    return isFunction || isType ? `pg_catalog.${word}` : word;
  }
}

/** Operands and the operators between them. Those that bind more closely are joined first. */
function joined(operands: string[], operators: string[]): string {
  const precedences = operators.map((operator) => PRECEDENCE[operator] ?? OTHER_OPERATORS);
  while (operators.length > 0) {
    const at = precedences.indexOf(Math.max(...precedences));
    const [left = '', right = ''] = operands.slice(at, at + 2);
    const [start = ''] = /^\s*/.exec(left) ?? [];
    const end = right.slice(right.trimEnd().length);
    const whole = `${start}(${left.trim()} operator(pg_catalog.${operators[at]}) ${right.trim()})${end}`;
    operands.splice(at, 2, whole);
    operators.splice(at, 1);
    precedences.splice(at, 1);
  }
  return operands[0];
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
