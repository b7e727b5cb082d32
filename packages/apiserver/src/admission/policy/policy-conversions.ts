import { StatusError } from '../../meta/status-error.ts';
import { convertedEntries, knownConversion } from '../../resources/converted-entries.ts';
import { type ResourceDefinition, keyspaceOf } from '../../resources/resource-definition.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AdmissionRequest } from '../admission.ts';
import { isPrepared, prepareForm } from '../object-form.ts';

/*
 * What webhooks have to convert before policies are evaluated, which waits for nobody: the objects of a request, and params. Where that fails, the
 * evaluation finds it missing, and says so.
 */

/** What a policy that is for a request is shown. */
interface ShownToPolicy {
  readonly form: ResourceDefinition;
  readonly ofParams: ResourceDefinition | undefined;
}

/** Gives at once, without a promise, where no webhook has to be asked. */
export function convertForPolicies(
  shown: readonly ShownToPolicy[],
  request: AdmissionRequest,
): ConversionProblems | Promise<ConversionProblems> {
  const forms = new Set<ResourceDefinition>();
  const kindsOfParams = new Set<ResourceDefinition>();
  for (const { form, ofParams } of shown) {
    if (isPrepared(request, form)) {
      forms.add(form);
    }
    if (ofParams?.askedConversion !== undefined) {
      kindsOfParams.add(ofParams);
    }
  }
  return forms.size === 0 && kindsOfParams.size === 0 ? none : convertAll(request, forms, kindsOfParams);
}

/** By the form in which a request could not be had. */
export type ConversionProblems = ReadonlyMap<ResourceDefinition, string>;

const none: ConversionProblems = new Map();

async function convertAll(
  request: AdmissionRequest,
  forms: ReadonlySet<ResourceDefinition>,
  kindsOfParams: ReadonlySet<ResourceDefinition>,
): Promise<ConversionProblems> {
  const problems = new Map<ResourceDefinition, string>();
  for (const form of forms) {
    try {
      await prepareForm(request, form);
    } catch (error) {
      problems.set(form, messageOf(error));
    }
  }
  await convertParams(kindsOfParams, request.storage);
  return problems;
}

/** Until all that is stored is converted, which may change meanwhile; but for kinds for which that fails. */
async function convertParams(kinds: ReadonlySet<ResourceDefinition>, storage: Storage): Promise<void> {
  const failed = new Set<ResourceDefinition>();
  const unconverted = (): ResourceDefinition | undefined =>
    [...kinds].find(
      (definition) =>
        !failed.has(definition) &&
        storage
          .list(keyspaceOf(definition))
          .some((entry) => knownConversion(definition, entry) === undefined),
    );
  for (let next = unconverted(); next !== undefined; next = unconverted()) {
    try {
      await convertedEntries(next, storage.list(keyspaceOf(next)));
    } catch (error) {
      if (!(error instanceof StatusError)) {
        throw error;
      }
      failed.add(next);
    }
  }
}

function messageOf(error: unknown): string {
  if (error instanceof StatusError) {
    return error.message;
  }
  throw error;
}
