import ts from 'typescript';

/** One change of a source text, small enough that one can name a test that should fail. */
export interface Mutant {
  /** The position in the list of the file's mutants, from 1 on. */
  readonly id: number;
  /** The replaced range, as offsets into the text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /**
   * The part that the switch encloses, see `instrument.ts`: the smallest part that can be evaluated in either
   * form.
   */
  readonly host: Host;
  /** The line of the replaced range, from 1 on. */
  readonly line: number;
  /**
   * That line, trimmed, before and after the change. Together they identify the mutant in
   * `known-equivalents.ts`.
   */
  readonly before: string;
  readonly after: string;
  /**
   * Whether it is evaluated only once, when the module is loaded: a process that has loaded the module cannot
   * switch it on.
   */
  readonly isStatic: boolean;
  /**
   * Whether a condition always goes the same way. If that does not compile, it still does not show whether
   * the other way matters.
   */
  readonly isOneWay: boolean;
}

export interface Host {
  readonly start: number;
  readonly end: number;
  readonly kind: 'expression' | 'statement';
}

/** Calls that can be removed from a chain: the rest of the chain still makes sense on their receiver. */
const narrowing = new Set(['filter', 'slice', 'toSorted', 'toReversed', 'trim', 'concat']);

const swapped: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  find: 'findLast',
  indexOf: 'lastIndexOf',
};

/** Names of calls that return true or false. */
const isPredicate =
  /^(is|has|was|can|names|uses|some|every|includes|startsWith|endsWith|test|overlaps)(?![a-z])/;

const otherOperators: Readonly<Partial<Record<ts.SyntaxKind, readonly string[]>>> = {
  [ts.SyntaxKind.LessThanToken]: ['<='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['<'],
  [ts.SyntaxKind.GreaterThanToken]: ['>='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['>'],
  [ts.SyntaxKind.PlusToken]: ['-'],
  [ts.SyntaxKind.MinusToken]: ['+'],
  [ts.SyntaxKind.AsteriskToken]: ['/'],
  [ts.SyntaxKind.SlashToken]: ['*'],
  [ts.SyntaxKind.PercentToken]: ['*'],
};

const comparisons = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.InKeyword,
  ts.SyntaxKind.InstanceOfKeyword,
]);

/**
 * Returns the mutants of a TypeScript source, in the order of the text. It leaves out types, texts that only
 * people read (messages of errors and of the log), and changes that no test could distinguish from others in
 * the list: `a && b` becomes `a`, `b` and `false`, and tests that kill all of these also kill `a || b`.
 */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Omit<Mutant, 'id'>[] = [];

  const add = (
    node: ts.Node,
    start: number,
    end: number,
    replacement: string,
    { host = hostOf(node), isOneWay = false } = {},
  ): void => {
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = (offset: number) => (text.indexOf('\n', offset) + text.length + 1) % (text.length + 1);
    mutants.push({
      start,
      end,
      replacement,
      host: {
        start: host.getStart(source),
        end: host.end,
        kind: ts.isStatement(host) ? 'statement' : 'expression',
      },
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      before: oneLine(text.slice(lineStart, lineEnd(end))),
      after: oneLine(text.slice(lineStart, start) + replacement + text.slice(end, lineEnd(end))),
      isStatic: !isWithinFunction(node),
      isOneWay,
    });
  };
  const replace = (node: ts.Node, replacement: string): void =>
    add(node, node.getStart(source), node.end, replacement);
  const goOneWay = (node: ts.Node, replacement: string): void =>
    add(node, node.getStart(source), node.end, replacement, { isOneWay: true });
  const cut = (host: ts.Node, node: ts.Node, siblings: ts.NodeArray<ts.Node>): void => {
    const next = siblings[siblings.indexOf(node) + 1];
    // The list ends after the comma that its last part may have.
    const end = next === undefined ? siblings.end : next.getStart(source);
    add(host, node.getStart(source), end, '', { host });
  };
  const eitherWay = (node: ts.Node): void => {
    goOneWay(node, 'true');
    goOneWay(node, 'false');
  };

  const visit = (node: ts.Node): void => {
    if (isLeftOut(node)) {
      return;
    }
    if (ts.isBinaryExpression(node)) {
      if (isAssignment(node.operatorToken.kind)) {
        visit(node.right);
        return;
      }
      binary(node);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      if (!isAccountedFor(node)) {
        eitherWay(node);
      }
    } else if (ts.isConditionalExpression(node)) {
      goOneWay(node, node.whenTrue.getText(source));
      goOneWay(node, node.whenFalse.getText(source));
    } else if (ts.isCallExpression(node)) {
      call(node);
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (isValue(node)) {
        replace(node, node.text === '' ? "'mutated'" : "''");
      }
    } else if (ts.isTemplateExpression(node)) {
      for (const part of [node.head, ...node.templateSpans.map(({ literal }) => literal)]) {
        if (part.text !== '') {
          const closing = part.kind === ts.SyntaxKind.TemplateTail ? 1 : 2;
          add(node, part.getStart(source) + 1, part.end - closing, '', { host: node });
        }
      }
    } else if (ts.isNumericLiteral(node)) {
      if (isValue(node)) {
        replace(node, Number(node.text) < 10 ? String(Number(node.text) + 1) : '0');
      }
    } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
      replace(node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true');
    } else if (ts.isArrayLiteralExpression(node)) {
      node.elements.forEach((element) => cut(node, element, node.elements));
    } else if (ts.isObjectLiteralExpression(node)) {
      node.properties.filter(ts.isSpreadAssignment).forEach((each) => cut(node, each, node.properties));
    } else if (ts.isRegularExpressionLiteral(node)) {
      for (const changed of otherPatterns(node.text)) {
        replace(node, changed);
      }
    } else if (ts.isExpressionStatement(node)) {
      replace(node, ';');
    }
    if ('questionDotToken' in node && node.questionDotToken !== undefined) {
      const token = node.questionDotToken as ts.Node;
      add(node, token.getStart(source), token.end, ts.isPropertyAccessExpression(node) ? '.' : '');
    }
    if (ts.isExpression(node) && isCondition(node) && !isLogical(node)) {
      const loops = ts.isIterationStatement(node.parent, false);
      goOneWay(node, 'false');
      if (!loops) {
        goOneWay(node, 'true');
      }
    }
    ts.forEachChild(node, visit);
  };

  const binary = (node: ts.BinaryExpression): void => {
    const { left, right, operatorToken } = node;
    const operator = operatorToken.kind;
    if (isLogical(node)) {
      replace(node, left.getText(source));
      replace(node, right.getText(source));
      if (operator !== ts.SyntaxKind.QuestionQuestionToken && !isLogicalOperand(node) && !isChoice(node)) {
        goOneWay(node, operator === ts.SyntaxKind.AmpersandAmpersandToken ? 'false' : 'true');
      }
      return;
    }
    for (const other of otherOperators[operator] ?? []) {
      add(node, operatorToken.getStart(source), operatorToken.end, other, { host: node });
    }
    if (comparisons.has(operator) && !isAccountedFor(node)) {
      eitherWay(node);
    }
  };

  const call = (node: ts.CallExpression): void => {
    const callee = node.expression;
    const name = ts.isPropertyAccessExpression(callee)
      ? callee.name.text
      : ts.isIdentifier(callee)
        ? callee.text
        : '';
    if (ts.isPropertyAccessExpression(callee)) {
      const swap = Object.hasOwn(swapped, name) ? swapped[name] : undefined;
      if (swap !== undefined) {
        add(node, callee.name.getStart(source), callee.name.end, swap);
      }
      if (narrowing.has(name)) {
        add(node, callee.expression.end, node.end, '');
      }
    }
    if (isPredicate.test(name) && !isAccountedFor(node) && !isStatement(node)) {
      eitherWay(node);
    }
  };

  visit(source);
  return mutants
    .filter(({ start, end, replacement }) => text.slice(start, end) !== replacement)
    .filter((mutant, index, all) => all.findIndex((other) => isSame(mutant, other)) === index)
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .map((mutant, index) => ({ ...mutant, id: index + 1 }));
}

type Edit = Pick<Mutant, 'start' | 'end' | 'replacement'>;

function isSame(one: Edit, other: Edit): boolean {
  return one.start === other.start && one.end === other.end && one.replacement === other.replacement;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}

/** For a chain with `?.`, the switch encloses the whole chain, which it would otherwise cut in two. */
function hostOf(node: ts.Node): ts.Node {
  let host = node;
  while (ts.isOptionalChain(host.parent) && host.parent.expression === host) {
    host = host.parent;
  }
  return host;
}

function isWithinFunction(node: ts.Node): boolean {
  return ts.findAncestor(node.parent, ts.isFunctionLike) !== undefined;
}

function isLogical(node: ts.Node): boolean {
  return (
    ts.isBinaryExpression(node) &&
    (node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken ||
      node.operatorToken.kind === ts.SyntaxKind.BarBarToken ||
      node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
  );
}

function isAssignment(operator: ts.SyntaxKind): boolean {
  return operator >= ts.SyntaxKind.FirstAssignment && operator <= ts.SyntaxKind.LastAssignment;
}

/** Looks through parentheses, which do not change the meaning of the surrounding code. */
function outermost(node: ts.Node): ts.Node {
  return ts.isParenthesizedExpression(node.parent) ? outermost(node.parent) : node;
}

/**
 * Whether it is an operand of `a && b` or `a || b`, or of `!` around one: the mutants of the whole replace it
 * by true and by false.
 */
function isLogicalOperand(node: ts.Node): boolean {
  const { parent } = outermost(node);
  return (
    (isLogical(parent) &&
      (parent as ts.BinaryExpression).operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) ||
    (ts.isPrefixUnaryExpression(parent) && parent.operator === ts.SyntaxKind.ExclamationToken)
  );
}

/** Whether it is the condition of an `if` or a loop. */
function isCondition(node: ts.Node): boolean {
  const whole = outermost(node);
  const { parent } = whole;
  return (
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent)) &&
      parent.expression === whole) ||
    (ts.isForStatement(parent) && parent.condition === whole)
  );
}

/** Whether it is the condition of `?:`: the mutants of the whole are its two values. */
function isChoice(node: ts.Node): boolean {
  const whole = outermost(node);
  return ts.isConditionalExpression(whole.parent) && whole.parent.condition === whole;
}

/** Whether other mutants already make it true and false. */
function isAccountedFor(node: ts.Node): boolean {
  return isLogicalOperand(node) || isCondition(node) || isChoice(node);
}

function isStatement(node: ts.Node): boolean {
  const { parent } = outermost(node);
  return (
    ts.isExpressionStatement(parent) ||
    (ts.isAwaitExpression(parent) && ts.isExpressionStatement(parent.parent))
  );
}

/**
 * Whether it is a literal that is evaluated, and neither the name of a property nor a fallback: whether a
 * fallback matters is tested at its `??`.
 */
function isValue(node: ts.Node): boolean {
  const { parent } = node;
  return !(
    ('name' in parent && parent.name === node) ||
    ('initializer' in parent && parent.initializer === node && ts.isBindingElement(parent)) ||
    (ts.isBinaryExpression(parent) &&
      parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
      parent.right === node)
  );
}

function isLeftOut(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    isForPeople(node)
  );
}

/**
 * Whether it is an error that is created, a text for a function that creates what is thrown, or a text for
 * the log: tests check the kinds of errors, and seldom their texts.
 */
function isForPeople(node: ts.Node): boolean {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    return node.expression.text.endsWith('Error');
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
    return isGivenTo(node) && isThrown(node);
  }
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    /^(debug|info|warn|error)$/.test(node.expression.name.text) &&
    /(^|\.)(log|logger)$/.test(node.expression.expression.getText())
  );
}

/** Whether it is an argument of a function that does not return true or false. */
function isGivenTo(node: ts.Expression): boolean {
  const { parent } = node;
  return (
    ts.isCallExpression(parent) &&
    parent.arguments.includes(node) &&
    ts.isIdentifier(parent.expression) &&
    !isPredicate.test(parent.expression.text)
  );
}

function isThrown(node: ts.Node): boolean {
  const around = ts.findAncestor(node, (each) => ts.isThrowStatement(each) || ts.isFunctionLike(each));
  return around !== undefined && ts.isThrowStatement(around);
}

/** Variants without an anchor, with a negated class, and so on. */
function otherPatterns(literal: string): readonly string[] {
  const end = literal.lastIndexOf('/');
  const [body, flags] = [literal.slice(1, end), literal.slice(end)];
  const changed = [
    body.replace(/^\^/, ''),
    body.replace(/\$$/, ''),
    ...[...body.matchAll(/\[\^?|\\[dDsSwW]|[+*](?!\?)|\{\d+,\d*\}/g)].map((found) => {
      const [part] = found;
      const other = part.startsWith('[')
        ? part === '['
          ? '[^'
          : '['
        : part.startsWith('\\')
          ? `\\${/[a-z]/.test(part) ? part.slice(1).toUpperCase() : part.slice(1).toLowerCase()}`
          : '';
      return body.slice(0, found.index) + other + body.slice(found.index + part.length);
    }),
  ];
  return changed.filter((each) => each !== body && each !== '').map((each) => `/${each}${flags}`);
}
