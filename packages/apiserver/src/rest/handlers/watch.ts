import { protobuf } from '../../http/negotiation.ts';
import { parseListOptions } from '../list-options.ts';
import { openWatch } from '../open-watch.ts';
import { watchLine } from '../write-form.ts';
import { watchFrame } from '../write-form-protobuf.ts';
import type { Handler } from './target.ts';

export const watch: Handler = async ({ server, definition, info, form, include }) => {
  const options = parseListOptions(info.query, definition, info.name, true);
  const source = await openWatch(server, definition, info.namespace, options);
  const { timeoutSeconds, allowWatchBookmarks } = options;
  if (form.isProtobuf) {
    return {
      kind: 'watch',
      source,
      timeoutSeconds,
      allowWatchBookmarks,
      contentType: `${protobuf};stream=watch`,
      line: (event) => watchFrame(definition, form, event),
    };
  }
  const format = { definition, form, include };
  return {
    kind: 'watch',
    source,
    timeoutSeconds,
    allowWatchBookmarks,
    line: (event, isFirst) => watchLine(format, event, isFirst, server.now()),
  };
};
