import { describe, expect, test } from '@jest/globals';
import { defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import { z } from 'zod';
import { validatingHandler, validatingPath } from '../../src/process/validating.ts';
import type { AdmissionRequest } from '../../src/webhook/admission.ts';

const pages = defineResource({
  group: 'docs.example.com',
  version: 'v1',
  kind: 'Page',
  spec: z.object({ text: z.string(), size: z.int().default(1) }),
});
type Page = ObjectOf<typeof pages>;

interface Draft {
  readonly spec?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

const page = ({ spec = { text: 'a' }, ...metadata }: Draft): Page =>
  ({
    apiVersion: 'docs.example.com/v1',
    kind: 'Page',
    metadata: { name: 'home', ...metadata },
    spec,
  }) as unknown as Page;

/** What the handler answers, and what it asked about. */
async function review(
  operation: AdmissionRequest['operation'],
  object: Page | null,
  oldObject: Page | null,
  says?: string,
) {
  const asked: (readonly [string, string | undefined])[] = [];
  const handler = validatingHandler(pages, (after, before) => {
    asked.push([after.spec.text, before?.spec.text]);
    return says;
  });
  const { group, version, kind } = pages;
  const request = { kind: { group, version, kind }, operation, object, oldObject } as AdmissionRequest;
  const answer = await handler(request, new AbortController().signal);
  return { answer, asked };
}

const allowed = { kind: 'allowed' };

describe('validatingHandler', () => {
  test('new object -> asked about, and the answer counts', async () => {
    expect(await review('CREATE', page({}), null)).toEqual({ answer: allowed, asked: [['a', undefined]] });
    expect(await review('CREATE', page({}), null, 'too short')).toEqual({
      answer: { kind: 'denied', message: 'too short' },
      asked: [['a', undefined]],
    });
  });

  test('new specification -> asked about, with the one before', async () => {
    const { answer, asked } = await review('UPDATE', page({ spec: { text: 'b' } }), page({}), 'no');
    expect([answer, asked]).toEqual([{ kind: 'denied', message: 'no' }, [['b', 'a']]]);
  });

  test.each<{ write: string; object: Page | null; operation?: 'DELETE' }>([
    { write: 'labels', object: page({ labels: { a: 'b' } }) },
    { write: 'what is the default anyway', object: page({ spec: { size: 1, text: 'a' } }) },
    {
      write: 'a terminating object',
      object: page({ deletionTimestamp: '2030-01-01T00:00:00Z', spec: { text: 'b' } }),
    },
    { write: 'the deletion', object: null, operation: 'DELETE' },
  ])('$write -> allowed, and nobody is asked', async ({ object, operation }) => {
    expect(await review(operation ?? 'UPDATE', object, page({}), 'no')).toEqual({
      answer: allowed,
      asked: [],
    });
  });

  test('stored in another form -> asked about as if it were new', async () => {
    const { asked } = await review('UPDATE', page({}), page({ spec: { words: 3 } }));
    expect(asked).toEqual([['a', undefined]]);
  });

  test('stored in another form, only its labels are written -> allowed, and nobody is asked', async () => {
    const stored = { spec: { words: 3 } };
    const { answer, asked } = await review(
      'UPDATE',
      page({ ...stored, labels: { a: 'b' } }),
      page(stored),
      'no',
    );
    expect([answer, asked]).toEqual([allowed, []]);
  });

  test('object that the schema does not take -> denied, with what is wrong', async () => {
    const { answer, asked } = await review('CREATE', page({ spec: { text: 1 } }), null);
    expect(asked).toStrictEqual([]);
    expect(answer).toMatchObject({ kind: 'denied', message: expect.stringContaining('spec.text: ') });
  });
});

test('path -> as kubebuilder has it', () => {
  expect(validatingPath(pages)).toBe('/validate-docs-example-com-v1-page');
});
