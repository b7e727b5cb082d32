/** The names of the headers that report how priority and fairness classified a request. */
export const flowSchemaHeader = 'X-Kubernetes-PF-FlowSchema-UID';
export const priorityLevelHeader = 'X-Kubernetes-PF-PriorityLevel-UID';

/**
 * The flow schema and priority level of a request, by the UIDs of the objects. A UID is empty for a mandatory
 * object that was deleted.
 */
export interface Flow {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}
