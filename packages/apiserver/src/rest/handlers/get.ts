import { wrongMetadataForm } from '../../http/negotiation.ts';
import { parseRevision, waitForRevision } from '../list-page.ts';
import { findEntry } from '../read-object.ts';
import { servedJson, servedObject } from '../stored-form.ts';
import { objectJson } from '../write-form.ts';
import type { Handler } from './target.ts';

export const get: Handler = async ({ server, definition, info, form, include }) => {
  if (form.as === 'PartialObjectMetadataList') {
    throw wrongMetadataForm(form.as, `not a list (*core.${definition.kind})`);
  }
  const wanted = parseRevision(info.query.get('resourceVersion') ?? '');
  if (wanted > 0) {
    await waitForRevision(server, wanted);
  }
  const entry = findEntry(server, definition, info.namespace, info.name);
  const json =
    form.as === 'object'
      ? servedJson(definition, entry)
      : objectJson(definition, servedObject(definition, entry.object), form, include, server.now());
  return { kind: 'json', code: 200, json };
};
