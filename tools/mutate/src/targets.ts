/** A file that makes decisions about data, and the tests that must notice any change of it. */
export interface Target {
  /** The path from the root of the repository. */
  readonly file: string;
  /** These tests must be quick, because they are run once for each mutant of the file. */
  readonly tests: readonly string[];
  /**
   * Whether it deletes files. A mutant of it might delete any file, so it is played only where nothing but
   * /tmp and /dev/shm can be written, see `confined.ts`.
   */
  readonly deletesFiles?: boolean;
}

/** What to play: everything between a snapshot and data that is deleted, or an object that is released. */
export const targets: readonly Target[] = [
  ...inFolder('packages/core', ['src/feature-gates.ts'], ['test/feature-gates.test.ts']),
  ...inFolder('packages/core', ['src/conditions.ts'], ['test/conditions.test.ts']),
  ...inFolder(
    'packages/core',
    ['src/condition-forms.ts', 'src/custom-resource/condition-list.ts'],
    ['test/conditions.test.ts', 'test/custom-resource/condition-list.test.ts'],
  ),
  ...inFolder('packages/core', ['src/finalizer-step.ts'], ['test/finalizer-step.test.ts']),
  ...inFolder('packages/core', ['src/finalizers.ts'], ['test/finalizers.test.ts']),
  ...inFolder('packages/core', ['src/json-patch.ts'], ['test/json-patch.test.ts']),
  ...inFolder(
    'packages/core',
    ['src/label-selector.ts', 'src/label-syntax.ts'],
    ['test/label-selector.test.ts', 'test/label-selector-text.test.ts'],
  ),
  ...inFolder('packages/core', ['src/label-selector-text.ts'], ['test/label-selector-text.test.ts']),
  ...inFolder('packages/core', ['src/object-key.ts'], ['test/object-key.test.ts']),
  ...inFolder('packages/core', ['src/owner-references.ts'], ['test/owner-references.test.ts']),
  ...inFolder('packages/core', ['src/pod-phase.ts'], ['test/pod-phase.test.ts']),
  ...inFolder('packages/core', ['src/pod-volumes.ts'], ['test/pod-volumes.test.ts']),
  ...inFolder('packages/core', ['src/resource-version.ts'], ['test/resource-version.test.ts']),
  ...inFolder('packages/core', ['src/set-owner-reference.ts'], ['test/set-owner-reference.test.ts']),
  ...inFolder('packages/core', ['src/status-patch.ts'], ['test/status-patch.test.ts']),
  ...inFolder('packages/core', ['src/timestamp.ts'], ['test/timestamp.test.ts']),
  ...inFolder(
    'packages/core',
    [
      'src/custom-resource/absent-field.ts',
      'src/custom-resource/define-resource.ts',
      'src/json-value.ts',
      'src/custom-resource/object-schema.ts',
      'src/custom-resource/problem.ts',
      'src/custom-resource/schema-context.ts',
      'src/custom-resource/server-form.ts',
      'src/custom-resource/structural-schema.ts',
      'src/custom-resource/version-of.ts',
    ],
    [
      'test/json-value.test.ts',
      'test/custom-resource/schema-context.test.ts',
      'test/custom-resource/server-form.test.ts',
      'test/custom-resource/version-of.test.ts',
      'test/custom-resource/define-resource.test.ts',
      'test/custom-resource/refused-schemas.test.ts',
    ],
  ),
  ...inFolder(
    'packages/core',
    ['src/custom-resource/re2-pattern.ts'],
    ['test/custom-resource/re2-pattern.test.ts'],
  ),
  ...inFolder(
    'packages/runtime',
    [
      'src/client/guarded-write.ts',
      'src/client/api-error.ts',
      'src/client/find.ts',
      'src/wire/unreadable-object.ts',
    ],
    [
      'test/client/guarded-write.test.ts',
      'test/client/api-error.test.ts',
      'test/client/find.test.ts',
      'test/wire/unreadable-object.test.ts',
    ],
  ),
  ...inFolder('packages/runtime', ['src/client/asked-together.ts'], ['test/client/asked-together.test.ts']),
  ...inFolder(
    'packages/runtime',
    ['src/client/tenure.ts', 'src/client/time-to-call-off.ts'],
    ['test/client/tenure.test.ts'],
  ),
  ...inFolder(
    'packages/runtime',
    ['src/election/vacancy.ts'],
    ['test/election/vacancy.test.ts', 'test/election/restored-lease.test.ts'],
  ),
  ...inFolder(
    'packages/runtime',
    ['src/election/lease-history.ts'],
    ['test/election/restored-lease.test.ts'],
  ),
  ...inFolder(
    'packages/runtime',
    ['src/election/wait-after-vacancy.ts'],
    ['test/election/wait-after-vacancy.test.ts'],
  ),
  ...inFolder(
    'packages/runtime',
    ['src/client/look.ts'],
    ['test/client/guarded-write.test.ts', 'test/client/look.test.ts'],
  ),
  ...inFolder(
    'packages/runtime',
    ['src/controller/looks-in-vain.ts'],
    ['test/controller/looks-in-vain.test.ts'],
  ),
  ...inFolder('packages/runtime', ['src/process/follows-all.ts'], ['test/process/follows-all.test.ts']),
  ...inFolder('packages/runtime', ['src/process/owns.ts'], ['test/process/owns.test.ts']),
  ...inFolder('packages/runtime', ['src/process/apply-child.ts'], ['test/process/apply-child.test.ts']),
  ...inFolder('packages/runtime', ['src/process/validating.ts'], ['test/process/validating.test.ts']),
  ...inFolder(
    'packages/runtime',
    ['src/process/uninstall-finalizer.ts'],
    ['test/process/uninstall-finalizer.test.ts'],
  ),
  ...inFolder('packages/runtime', ['src/webhook/admission-of.ts'], ['test/webhook/admission-of.test.ts']),
  ...inFolder('packages/cli', ['src/role-rules.ts'], ['test/role-rules.test.ts']),
  ...inFolder(
    'apps/statefulset-pvc-retention',
    [
      'src/decide/decide.ts',
      'src/decide/confirmation.ts',
      'src/decide/deadline.ts',
      'src/decide/give-way.ts',
      'src/decide/hold.ts',
      'src/decide/known-pod.ts',
      'src/decide/left-alone.ts',
      'src/decide/leftover.ts',
      'src/decide/look-back.ts',
      'src/decide/mark.ts',
      'src/decide/missed-scale-down.ts',
      'src/decide/policy.ts',
      'src/decide/references.ts',
      'src/decide/removal.ts',
      'src/decide/situation.ts',
      'src/decide/tie.ts',
      'src/decide/tying.ts',
      'src/decide/undo-window.ts',
      'src/decide/wanted-owner.ts',
      'src/decide/workload-deletion.ts',
    ],
    [
      'test/decide/policy.test.ts',
      'test/decide/live-look.test.ts',
      'test/decide/give-way.test.ts',
      'test/decide/hold.test.ts',
      'test/decide/known-pod.test.ts',
      'test/decide/references.test.ts',
      'test/decide/tie.test.ts',
      'test/decide/leftover.test.ts',
      'test/decide/look-back.test.ts',
      'test/decide/mark.test.ts',
      'test/decide/clocks.test.ts',
      'test/decide/undo-window.test.ts',
      'test/decide/set-deletion-window.test.ts',
      'test/decide/claims-never-used.test.ts',
      'test/decide/claims-of-an-earlier-set.test.ts',
    ],
  ),
  ...inFolder(
    'apps/statefulset-pvc-retention',
    ['src/claim-name.ts', 'src/workload.ts'],
    ['test/claim-name.test.ts', 'test/workload.test.ts', 'test/kruise.test.ts'],
  ),
  ...inFolder('apps/statefulset-pvc-retention', ['src/wakes.ts'], ['test/wakes.test.ts']),
  ...inFolder(
    'apps/statefulset-pvc-retention',
    ['src/remember.ts', 'src/last-pods.ts'],
    ['test/remember.test.ts'],
  ),
  ...inFolder('apps/statefulset-pvc-retention', ['src/endings.ts'], ['test/endings.test.ts']),
  ...inFolder('apps/statefulset-pvc-retention', ['src/claim-patch.ts'], ['test/claim-patch.test.ts']),
  ...inFolder('apps/pvc-protection', ['src/decide.ts'], ['test/decide.test.ts']),
  ...inFolder(
    'apps/pvc-protection',
    ['src/decide/pod-claims.ts'],
    ['test/many-volumes.test.ts', 'test/decide.test.ts'],
  ),
  ...inFolder(
    'apps/pvc-protection',
    ['src/release-patch.ts', 'src/uninstall/take-off-patch.ts'],
    ['test/release-patch.test.ts'],
  ),
  ...inFolder('apps/pvc-protection', ['src/held-claims.ts'], ['test/held-claims.test.ts']),
  ...inFolder(
    'apps/pvc-protection',
    ['src/live-lookup.ts', 'src/attached-nodes.ts'],
    [
      'test/live-lookup.test.ts',
      'test/long-list.test.ts',
      'test/odd-attachment.test.ts',
      'test/odd-namespace.test.ts',
      'test/two-long-lists.test.ts',
    ],
  ),
  ...inFolder('apps/pvc-protection', ['src/unused-condition/decide.ts'], ['test/unused-condition.test.ts']),
  ...inFolder(
    'apps/pv-reclaim-honor',
    [
      'src/decide.ts',
      'src/decide/deletion-begun.ts',
      'src/decide/held-by.ts',
      'src/decide/hold.ts',
      'src/decide/reclaim.ts',
      'src/decide/stated-policy.ts',
      'src/decide/undo-mark.ts',
      'src/decide/undo-window.ts',
    ],
    [
      'test/decide.test.ts',
      'test/held-by.test.ts',
      'test/undo-mark.test.ts',
      'test/undo-window-decision.test.ts',
    ],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/keeper.ts', 'src/csi-migration.ts', 'src/volume-source.ts'],
    ['test/keeper.test.ts', 'test/csi-migration.test.ts', 'test/volume-source.test.ts'],
  ),
  ...inFolder('apps/pv-reclaim-honor', ['src/own-writes.ts'], ['test/own-writes.test.ts']),
  ...inFolder('apps/pv-reclaim-honor', ['src/finalizer-writer.ts'], ['test/finalizer-writer.test.ts']),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/record-begun.ts'],
    ['test/record-begun.test.ts', 'test/uninstall.test.ts'],
  ),
  ...inFolder('apps/pv-reclaim-honor', ['src/undo/undo-patch.ts'], ['test/undo-patch.test.ts']),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/undo/undo-facts.ts', 'src/undo/undo-windows.ts'],
    ['test/undo-windows.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/undo/window-request.ts'],
    ['test/undo-warnings.test.ts', 'test/undo-windows.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/storage-identity.ts', 'src/handle-steps.ts', 'src/shape.ts'],
    ['test/storage-identity.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/storage-index.ts'],
    ['test/storage-index.test.ts', 'test/storage-identity.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/observe/any-volume.ts'],
    ['test/any-volume.test.ts', 'test/any-volume-pages.test.ts', 'test/unless-cached.test.ts'],
  ),
  ...inFolder('apps/pv-reclaim-honor', ['src/observe/unless-cached.ts'], ['test/unless-cached.test.ts']),
  ...inFolder('apps/pv-reclaim-honor', ['src/observe/attachment-list.ts'], ['test/attachment-list.test.ts']),
  ...inFolder('apps/pv-reclaim-honor', ['src/observe/live-look.ts'], ['test/live-look.test.ts']),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/observe/cached-need.ts', 'src/observe/claim-of.ts'],
    ['test/observe.test.ts', 'test/live-look.test.ts', 'test/needs-storage.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    [
      'src/observe/bound-claim.ts',
      'src/observe/bound-elsewhere.ts',
      'src/observe/live-need.ts',
      'src/observe/needs-storage.ts',
    ],
    ['test/needs-storage.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/observe/uncached-volumes.ts'],
    ['test/uncached-volumes.test.ts'],
  ),
  ...inFolder('apps/pv-reclaim-honor', ['src/in-tree/mount-table.ts'], ['test/mount-table.test.ts']),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/in-tree/line.ts', 'src/in-tree/deletions-together.ts'],
    ['test/deletions-together.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/in-tree/open-folder.ts'],
    ['test/open-folder.test.ts', 'test/place.test.ts'],
  ),
  ...inFolder(
    'apps/pv-reclaim-honor',
    ['src/in-tree/place.ts'],
    ['test/place.test.ts', 'test/mount-table.test.ts'],
  ),
  ...inFolder('apps/pv-reclaim-honor', ['src/in-tree/volume-folders.ts'], ['test/volume-folders.test.ts']),
  ...[
    ...inFolder(
      'apps/pv-reclaim-honor',
      ['src/in-tree/host-path.ts'],
      ['test/host-path.test.ts', 'test/host-path-mounts.test.ts'],
    ),
    ...inFolder('apps/pv-reclaim-honor', ['src/in-tree/remove-folder.ts'], ['test/remove-folder.test.ts']),
  ].map((target) => ({ ...target, deletesFiles: true })),
  ...inFolder('apps/retroactive-default-sc', ['src/decide.ts'], ['test/decide.test.ts']),
  ...inFolder('apps/retroactive-default-sc', ['src/assign-patch.ts'], ['test/assign-patch.test.ts']),
  ...inFolder('apps/retroactive-default-sc', ['src/refusal.ts'], ['test/refusal.test.ts']),
  ...inFolder('apps/retroactive-default-sc', ['src/cached-default.ts'], ['test/cached-default.test.ts']),
  ...inFolder(
    'apps/retroactive-default-sc',
    ['src/default-for-sure.ts', 'src/live-default.ts'],
    ['test/odd-class.test.ts', 'test/live-default.test.ts'],
  ),
];

function inFolder(folder: string, files: readonly string[], tests: readonly string[]): readonly Target[] {
  return files.map((file) => ({
    file: `${folder}/${file}`,
    tests: tests.map((test) => `${folder}/${test}`),
  }));
}
