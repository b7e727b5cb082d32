import type { PolicyScenario } from './policy-requests.ts';
import { type Endpoint, type Recorded, replay } from './replay.ts';

const root = '/apis/admissionregistration.k8s.io/v1';

interface MatchConstraints {
  readonly matchConstraints: object;
}

/** The names of the collections, and what a binding says where a scenario says nothing. */
export interface PolicyKinds {
  readonly policies: string;
  readonly bindings: string;
  readonly binding: object;
}

export const validatingKinds: PolicyKinds = {
  policies: 'validatingadmissionpolicies',
  bindings: 'validatingadmissionpolicybindings',
  binding: { validationActions: ['Deny'] },
};

export const mutatingKinds: PolicyKinds = {
  policies: 'mutatingadmissionpolicies',
  bindings: 'mutatingadmissionpolicybindings',
  binding: {},
};

/**
 * Sends the requests of one scenario of policy-requests.ts or mutation-requests.ts with its policies in force, for one
 * namespace. `settle` waits until the server goes by them: a real one takes a moment. They are removed at the end.
 */
export async function replayWithPolicies(
  { installed = {}, prepared = [], requests }: PolicyScenario,
  kinds: PolicyKinds,
  endpoint: Endpoint,
  namespace: string,
  settle: () => Promise<void>,
): Promise<readonly Recorded[]> {
  const made: string[] = [];
  const make = async (plural: string, name: string, spec: object): Promise<void> => {
    const body = JSON.stringify({ metadata: { name }, spec });
    const answer = await replay(`POST ${root}/${plural} ${body}`, endpoint, namespace);
    if (answer.code !== 201) {
      throw new Error(`${plural}/${name} was answered ${JSON.stringify(answer)}`);
    }
    made.push(`${root}/${plural}/${name}`);
  };
  await replay(
    'POST /api/v1/namespaces {"metadata":{"name":"$NS","labels":{"scenario":"$NS"}}}',
    endpoint,
    namespace,
  );
  for (const request of prepared) {
    await replay(request, endpoint, namespace);
  }
  for (const [name, { spec, bindings = [kinds.binding] }] of Object.entries(installed)) {
    const { matchConstraints } = spec as unknown as MatchConstraints;
    await make(kinds.policies, `${name}-$NS`, {
      ...spec,
      matchConstraints: {
        namespaceSelector: { matchLabels: { scenario: '$NS' } },
        objectSelector: { matchLabels: { policy: name } },
        ...matchConstraints,
      },
    });
    for (const [index, binding] of bindings.entries()) {
      const policyName = `${name}-$NS`;
      await make(kinds.bindings, `${name}-${index}-$NS`, { policyName, ...binding });
    }
  }
  if (made.length > 0) {
    await settle();
  }
  const answers: Recorded[] = [];
  for (const request of requests) {
    answers.push(hide(await replay(request, endpoint, namespace), namespace));
  }
  for (const path of made) {
    await replay(`DELETE ${path}`, endpoint, namespace);
  }
  return answers;
}

/** What differs from run to run besides. */
function hide(answer: Recorded, namespace: string): Recorded {
  return JSON.parse(
    JSON.stringify(answer)
      .replaceAll(namespace, '<ns>')
      .replace(/\bg-[a-z0-9]{5}\b/g, 'g-<random>'),
  ) as Recorded;
}
