import { configMaps } from '@holdfast/core';
import { appCommand, objectController, parseGoDuration, type ProgramApp } from '@holdfast/runtime';

export const annotation = 'example.com/ttl';
const version = '1.0.0';
const description = `deletes each ConfigMap when the time in its annotation ${annotation} is over, such as 10m.`;
export const command = appCommand({ name: 'ttl', version, description, gates: {}, flags: {} });

export function ttl(app: ProgramApp): void {
  const maps = app.watch(configMaps);
  objectController(app, {
    for: maps,
    reconcile: async ({ object, remove, event }) => {
      const { annotations, creationTimestamp = '' } = object.metadata;
      const text = annotations?.[annotation];
      const lifetime = text === undefined ? undefined : parseGoDuration(text);
      if (lifetime !== undefined) {
        const left = Date.parse(creationTimestamp) + lifetime - app.now().getTime();
        return left > 0 ? { kind: 'requeueAfter', delay: left } : remove(maps, object);
      }
      if (text !== undefined) {
        const note = `"${text}" is no time to live: give a duration such as 10m or 1h30m`;
        event({ type: 'Warning', reason: 'InvalidTTL', action: 'ReadTTL', note });
      }
      return undefined;
    },
  });
}
