/** A URL path put together from encoded parts; see {@link urlPath}. */
export type UrlPath = string & { readonly [encoded]: true };
declare const encoded: unique symbol;

/**
 * Joins the parts to a path and encodes each of them. Whatever a name contains, it stays one part and cannot
 * lead to another resource. This matters for names from unchecked callers, such as those of a webhook.
 *
 * @throws Error for an empty part, `.` and `..`, which would name another path than they seem to.
 */
export function urlPath(...parts: readonly string[]): UrlPath {
  return parts.map((part) => `/${encodePart(part)}`).join('') as UrlPath;
}

function encodePart(part: string): string {
  if (part === '' || part === '.' || part === '..') {
    throw new Error(
      `"${part}" can't be a part of a URL's path; give the name of a namespace, object or resource`,
    );
  }
  // A lone surrogate has no encoding.
  return encodeURIComponent(part.toWellFormed());
}
