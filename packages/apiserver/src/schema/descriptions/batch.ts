import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const batchDescriptions: Descriptions = {
  'batch.v1.CronJob': {
    about: 'Creates Jobs on a schedule.',
    fields: { spec: 'Schedule and Jobs.', status: 'Jobs that run, and times of past ones.' },
  },
  'batch.v1.CronJobSpec': {
    about: 'Schedule of a CronJob, and the Jobs that it creates.',
    fields: {
      schedule: 'Times in the format of cron, such as "0 3 * * *" or @daily.',
      timeZone:
        'Time zone of the schedule, such as Europe/Berlin; by default that of the controller manager.',
      startingDeadlineSeconds:
        'Seconds by which a Job may start late before that run is skipped; unlimited when unset.',
      concurrencyPolicy:
        'When the last Job still runs: Allow (default) starts another, Forbid skips it, Replace ends the last one first.',
      suspend: 'Whether no further Jobs are started; false by default. Those that run go on.',
      jobTemplate: 'Template of the Jobs.',
      successfulJobsHistoryLimit: 'Finished Jobs that succeeded to keep; 3 by default.',
      failedJobsHistoryLimit: 'Finished Jobs that failed to keep; 1 by default.',
    },
  },
  'batch.v1.CronJobStatus': {
    about: 'State of a CronJob.',
    fields: {
      active: 'Jobs that run.',
      lastScheduleTime: 'When a Job was last due and created.',
      lastSuccessfulTime: 'When a Job last succeeded.',
    },
  },
  'batch.v1.Job': {
    about: 'Runs pods until enough of them have succeeded.',
    fields: { spec: 'Pods to run, and when the Job is done.', status: 'Pods that ran, and the outcome.' },
  },
  'batch.v1.JobCondition': {
    about: 'A condition of a Job: Complete, Failed, Suspended, SuccessCriteriaMet or FailureTarget.',
    fields: { ...conditionFields, lastProbeTime: 'Time of the last check.' },
  },
  'batch.v1.JobSpec': {
    about: 'Pods to run, and when the Job is done.',
    fields: {
      parallelism: 'Pods that may run at once; 1 by default.',
      completions:
        'Successful pods that are needed; unset, any success ends the Job, and 1 is set when parallelism is unset, too.',
      activeDeadlineSeconds:
        'Seconds from the start after which the Job is failed and its pods are ended; suspension stops the count.',
      podFailurePolicy:
        'What follows from failed pods, by exit code or condition; needs restartPolicy Never.',
      successPolicy: 'When an Indexed Job counts as succeeded before all indexes have; by default never.',
      backoffLimit:
        'Retries before the Job is failed; 6 by default, or 2147483647 with backoffLimitPerIndex.',
      backoffLimitPerIndex:
        'Retries of an index before that index is failed; for Indexed Jobs with restartPolicy Never.',
      maxFailedIndexes: 'Failed indexes beyond which the Job is failed; with backoffLimitPerIndex only.',
      selector: 'Pods of the Job; made by the server unless manualSelector is true.',
      manualSelector: 'Whether selector and labels are given by hand; false by default, and seldom needed.',
      template: 'Template of the pods; its restartPolicy is Never or OnFailure.',
      ttlSecondsAfterFinished:
        'Seconds after the end at which the Job is deleted, 0 at once; never when unset.',
      completionMode:
        'NonIndexed (default), or Indexed to number pods from 0 to completions - 1 and want one success of each.',
      suspend: 'Whether no pods run, and running ones are ended; false by default.',
      podReplacementPolicy:
        'TerminatingOrFailed replaces pods that begin to end, Failed (default, and only choice, with podFailurePolicy) those that have ended.',
      managedBy:
        'Controller that runs the Job, such as example.com/controller; kubernetes.io/job-controller when unset.',
    },
  },
  'batch.v1.JobStatus': {
    about: 'Pods of a Job, and the outcome.',
    fields: {
      conditions: 'Conditions of the Job; Complete or Failed once it is finished.',
      startTime: 'When the controller took up the Job; anew after a suspension.',
      completionTime: 'When the Job succeeded; unset for one that failed.',
      active: 'Pods that run or are pending, and are not terminating.',
      succeeded: 'Pods that succeeded.',
      failed: 'Pods that failed.',
      terminating: 'Pods that are terminating.',
      completedIndexes: 'Indexes that succeeded, such as 1,3-5.',
      failedIndexes: 'Indexes that failed, such as 1,3-5; with backoffLimitPerIndex only.',
      uncountedTerminatedPods: 'Finished pods that the counts above do not yet have.',
      ready: 'Active pods that are ready.',
    },
  },
  'batch.v1.JobTemplateSpec': {
    about: 'Template of the Jobs of a CronJob.',
    fields: { metadata: 'Labels and annotations of the Jobs.', spec: 'Spec of the Jobs.' },
  },
  'batch.v1.PodFailurePolicy': {
    about: 'What follows from failed pods.',
    fields: {
      rules:
        'Rules in order, of which the first that matches applies; 20 at most. backoffLimit counts what none matches.',
    },
  },
  'batch.v1.PodFailurePolicyOnExitCodesRequirement': {
    about: 'Exit codes by which a rule matches.',
    fields: {
      containerName: 'Container that is meant; any when unset.',
      operator: 'In for the codes that are listed, NotIn for all others but 0.',
      values: 'Exit codes, in order and without duplicates; 255 at most.',
    },
  },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': {
    about: 'A condition of the pod by which a rule matches.',
    fields: { type: 'Type of the condition.', status: 'Status of the condition; True by default.' },
  },
  'batch.v1.PodFailurePolicyRule': {
    about:
      'What follows from a pod that failed in a certain way; one of onExitCodes and onPodConditions is set.',
    fields: {
      action: 'FailJob fails the Job, FailIndex the index; Ignore does not count the failure, Count does.',
      onExitCodes: 'Exit codes of containers.',
      onPodConditions: 'Conditions of the pod, any of which is enough; 20 at most.',
    },
  },
  'batch.v1.SuccessPolicy': {
    about: 'When an Indexed Job succeeds early.',
    fields: { rules: 'Rules, any of which is enough; 20 at most.' },
  },
  'batch.v1.SuccessPolicyRule': {
    about: 'Indexes by which a Job succeeds.',
    fields: {
      succeededIndexes: 'Indexes that must have succeeded, such as 1,3-5; any when unset.',
      succeededCount: 'How many of these indexes must have succeeded; all when unset.',
    },
  },
  'batch.v1.UncountedTerminatedPods': {
    about: 'Finished pods that status does not yet count.',
    fields: { succeeded: 'UIDs of pods that succeeded.', failed: 'UIDs of pods that failed.' },
  },
};
