/** The names of the headers that say how priority and fairness classed a request. */
export const flowSchemaHeader = 'X-Kubernetes-PF-FlowSchema-UID';
export const priorityLevelHeader = 'X-Kubernetes-PF-PriorityLevel-UID';

/** What a request belongs to, by the uids of the objects; empty for mandatory ones that somebody deleted. */
export interface Flow {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}
