import type { ASTNode } from '@marcbachmann/cel-js';
import { append } from '../meta/append.ts';
import { isNamespace } from './namespaces.ts';

/* Finds the undeclared names in an expression. All of them are reported at once, as cel-go does it. */

export interface Declarations {
  hasVariable(name: string): boolean;
  hasFunction(name: string): boolean;
  /** Whether a call is the call of a macro. */
  isMacro(node: ASTNode): boolean;
}

/** The variables that the macros around a node declare. */
type Scope = ReadonlySet<string>;

/** The nodes that name an undeclared variable or call an undeclared function. */
export function undeclaredNames(root: ASTNode, declared: Declarations): readonly ASTNode[] {
  const found: ASTNode[] = [];
  // This does not recurse, because thousands of operators in a row make a tree that is as deep.
  const open: (readonly [node: ASTNode, scope: Scope])[] = [[root, new Set()]];
  const isKnown = (name: string, scope: Scope): boolean =>
    scope.has(name) || (declared.hasVariable(name) && !isNamespace(name));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, scope] = next;
    const visit = (nodes: readonly ASTNode[], within = scope): void => {
      append(
        open,
        nodes.map((each) => [each, within] as const),
      );
    };
    switch (node.op) {
      case 'value':
        break;
      case 'id':
        if (!isKnown(node.args, scope)) {
          found.push(node);
        }
        break;
      case '.':
      case '.?':
        visit([node.args[0]]);
        break;
      case '!_':
      case '-_':
        visit([node.args]);
        break;
      case 'map':
        visit(node.args.flat());
        break;
      case 'call':
        if (!declared.hasFunction(node.args[0]) && !declared.isMacro(node)) {
          found.push(node);
        }
        visit(node.args[1]);
        break;
      case 'rcall': {
        const [name, receiver, args] = node.args;
        if (declared.isMacro(node)) {
          const variables = args.slice(0, variablesOf(name, args.length));
          const inner = new Set([
            ...scope,
            ...variables.flatMap((each) => (each.op === 'id' ? [each.args] : [])),
          ]);
          visit([receiver]);
          visit(args.slice(variables.length), inner);
          break;
        }
        const isNamespaced =
          receiver.op === 'id' &&
          !scope.has(receiver.args) &&
          isNamespace(receiver.args) &&
          declared.hasFunction(`${receiver.args}.${name}`);
        if (!isNamespaced) {
          if (!declared.hasFunction(name)) {
            found.push(node);
          }
          visit([receiver]);
        }
        visit(args);
        break;
      }
      default:
        visit(node.args);
    }
  }
  return found;
}

const twoVariables: ReadonlySet<string> = new Set([
  ...['all', 'exists', 'existsOne', 'exists_one', 'transformList', 'transformMap', 'transformMapEntry'],
]);

/** How many of a macro's arguments are names of variables. */
function variablesOf(name: string, count: number): number {
  return count > 2 && twoVariables.has(name) ? 2 : 1;
}
