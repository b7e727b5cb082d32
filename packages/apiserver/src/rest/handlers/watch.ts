import { parseListOptions } from '../list-options.ts';
import { openWatch } from '../open-watch.ts';
import { watchLine } from '../write-form.ts';
import type { Handler } from './target.ts';

export const watch: Handler = async ({ server, definition, info, form, include }) => {
  const options = parseListOptions(info.query, definition, info.name, true);
  const source = await openWatch(server, definition, info.namespace, options);
  const format = { definition, form, include };
  return {
    kind: 'watch',
    source,
    timeoutSeconds: options.timeoutSeconds,
    allowWatchBookmarks: options.allowWatchBookmarks,
    line: (event, isFirst) => watchLine(format, event, isFirst, server.now()),
  };
};
