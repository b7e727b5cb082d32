import { objectKey, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { UnreadableObject, type ApiClient, type Projected, type Tolerance } from '@holdfast/runtime';

/** What has become of objects on the way, by the plural of their resource and their key. */
export type Oddities = Map<string, (object: KubernetesObject) => unknown>;

export function oddityOf(resource: ApiResource<KubernetesObject>, key: string): string {
  return `${resource.plural}/${key}`;
}

/**
 * A client behind a gateway that breaks some objects: they come as JSON of whatever shape, and are read as the client
 * reads JSON.
 */
export function oddClient(client: ApiClient, oddities: Oddities): ApiClient {
  const seen = <T extends KubernetesObject>(resource: ApiResource<T>, object: T): T =>
    (oddities.get(oddityOf(resource, objectKey(object)))?.(object) ?? object) as T;
  const read = <T extends KubernetesObject>(
    resource: ApiResource<T>,
    object: T,
    { projection, onUnreadable }: Projected<T> & Tolerance,
  ): readonly T[] => {
    const found = seen(resource, object);
    try {
      return [projection === undefined ? found : projection.fromJson(found)];
    } catch (error) {
      const problem = new UnreadableObject(object.metadata, error);
      if (onUnreadable === undefined) {
        throw problem;
      }
      onUnreadable(problem);
      return [];
    }
  };
  const whole = <Request extends object>(request: Request): Omit<Request, 'projection'> => {
    const rest = { ...request };
    delete (rest as { projection?: unknown }).projection;
    return rest;
  };
  return {
    ...client,
    get: async (resource, ref, request) => {
      const object = seen(resource, await client.get(resource, ref, whole(request ?? {})));
      return request?.projection === undefined ? object : request.projection.fromJson(object);
    },
    list: async (resource, request = {}) => {
      const { metadata, items } = await client.list(resource, whole(request));
      return { metadata, items: items.flatMap((each) => read(resource, each, request)) };
    },
    listPages: async function* (resource, request) {
      for await (const { metadata, items } of client.listPages(resource, whole(request))) {
        yield { metadata, items: items.flatMap((each) => read(resource, each, request)) };
      }
    },
    watch: (resource, request, onEvent) =>
      client.watch(resource, whole(request), (event, end) => {
        if (event.type === 'BOOKMARK') {
          onEvent(event, end);
          return;
        }
        read(resource, event.object, request).forEach((object) => onEvent({ ...event, object }, end));
      }),
  };
}
