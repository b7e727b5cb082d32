/*
 * Everything that the page shows is created here, as elements and texts: nothing from a cluster is ever
 * interpreted as markup.
 */

/**
 * Returns an element of the page itself.
 *
 * @param type the type that it must have. Default: any
 * @throws Error if the page has no element of this id and type
 */
export function part(id: string): HTMLElement;
export function part<T extends HTMLElement>(id: string, type: new () => T): T;
export function part(id: string, type: new () => HTMLElement = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`the page has no #${id} that is a ${type.name}`);
  }
  return found;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { text, className }: { readonly text?: string; readonly className?: string } = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (text !== undefined) {
    made.textContent = text;
  }
  if (className !== undefined) {
    made.className = className;
  }
  made.append(...children);
  return made;
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Node[]
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Sets a text that screen readers announce, but only if it changes, so that it is not announced again. */
export function say(target: HTMLElement, text: string): void {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}
