import { wrongMetadataForm } from '../../http/negotiation.ts';
import { parseListOptions } from '../list-options.ts';
import { listPage } from '../list-page.ts';
import { listJson } from '../write-form.ts';
import type { Handler } from './target.ts';

export const list: Handler = async ({ server, definition, info, form, include }) => {
  if (form.as === 'PartialObjectMetadata') {
    throw wrongMetadataForm(form.as, `a list (*core.${definition.kind}List)`);
  }
  const options = parseListOptions(info.query, definition, info.name, false);
  const page = await listPage(server, definition, info.namespace, options);
  return { kind: 'json', code: 200, json: listJson(definition, page, form, include, server.now()) };
};
