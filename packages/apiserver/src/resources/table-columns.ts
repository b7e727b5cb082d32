import type { Json, JsonObject } from '../meta/json.ts';

/* The columns and cells of the Table form (meta.k8s.io/v1), which kubectl get prints. */

export interface TableColumn extends JsonObject {
  name: string;
  type: string;
  format: string;
  description: string;
  /** 0 is always shown, 1 with -o wide. */
  priority: number;
}

/** A text column that is always shown, by default. */
export function column(
  name: string,
  description: string,
  priority = 0,
  type = 'string',
  format = '',
): TableColumn {
  return { name, type, format, description, priority };
}

// The descriptions of both fields in ObjectMeta's documentation.
const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const timeDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** The column with the object's name, the first of the Tables of nearly all kinds; kubectl always shows it. */
export const nameColumn = column('Name', nameDescription, 0, 'string', 'name');
/** The age of an object. */
export const ageColumn = column('Age', timeDescription);
/** The time of creation, for kinds that have no columns of their own. */
export const createdAtColumn = column('Created At', timeDescription, 0, 'date');

/** A duration in the short form of kubectl's tables: 118s, 3m5s, 42m, 5h10m, 3d4h, 2y10d. */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) {
    return '<invalid>';
  }
  if (seconds < 0) {
    return '0s';
  }
  if (seconds < 120) {
    return `${seconds}s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) {
    return withRest(minutes, 'm', seconds % 60, 's');
  }
  if (minutes < 180) {
    return `${minutes}m`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 8) {
    return withRest(hours, 'h', minutes % 60, 'm');
  }
  if (hours < 48) {
    return `${hours}h`;
  }
  const days = Math.floor(hours / 24);
  if (hours < 192) {
    return withRest(days, 'd', hours % 24, 'h');
  }
  if (days < 365 * 2) {
    return `${days}d`;
  }
  const years = Math.floor(days / 365);
  if (days < 365 * 8) {
    return withRest(years, 'y', days % 365, 'd');
  }
  return `${years}y`;
}

function withRest(value: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${value}${unit}` : `${value}${unit}${rest}${restUnit}`;
}

/** The time since a timestamp, for a table cell. */
export function since(timestamp: Json | undefined, now: number): string {
  return typeof timestamp === 'string' ? shortDuration(now - Date.parse(timestamp)) : '<unknown>';
}
