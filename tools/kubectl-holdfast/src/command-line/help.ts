const helps: Readonly<Record<string, string>> = {
  explain: `Explains the state of an object: what holds it, what happens next, and what happens if something is deleted.

Usage:
  kubectl holdfast explain pvc|pv|sts|sc NAME [flags]

Examples:
  # Why is this claim still terminating?
  kubectl holdfast explain pvc data-web-0 -n shop
  # Who deletes this volume, and when?
  kubectl holdfast explain pv/pv-0042
  # What happens to the claims of this set?
  kubectl holdfast explain sts web -n shop -o yaml
  # Watch the claim until it is gone.
  kubectl holdfast explain pvc data-web-0 -n shop -w

Flags:
  -w, --watch         Print the answer again whenever it changes, until the object is gone or Ctrl-C.`,
  plan: `Predicts what happens to each claim of a StatefulSet when the set is scaled or deleted. Writes nothing.

Usage:
  kubectl holdfast plan sts NAME --replicas N [flags]
  kubectl holdfast plan sts NAME --delete [--cascade background|foreground|orphan] [flags]
  kubectl holdfast plan RESOURCE.GROUP NAME ...

Kinds other than StatefulSet are those of flag --workloads of statefulset-pvc-retention.

Examples:
  # Which claims are deleted when web is scaled to one replica?
  kubectl holdfast plan sts web --replicas 1 -n shop
  # Which claims are deleted when web is deleted?
  kubectl holdfast plan sts web --delete -n shop
  # A kind of Kruise that statefulset-pvc-retention handles.
  kubectl holdfast plan statefulsets.apps.kruise.io web --delete
  # Which claims would be deleted if Holdfast were running?
  kubectl holdfast plan sts web --delete --assume statefulset-pvc-retention=on

Flags:
  --replicas N        Plan for this number of replicas.
  --delete            Plan for the deletion of the set.
  --cascade HOW       How the set is deleted: background (default), foreground or orphan, as in kubectl delete.
  --workloads GROUP/VERSION/KIND,...
                      Further kinds like StatefulSet, in addition to those that statefulset-pvc-retention handles in the cluster.`,
  status: `Shows whether the deployed controllers of Holdfast are at work.

Usage:
  kubectl holdfast status [--wait [--timeout 5m] | --watch] [flags]

Examples:
  # After an upgrade: wait until each controller has its lease again.
  kubectl holdfast status --wait --timeout 2m

Flags:
  --wait              Wait until all deployed controllers are at work.
  --timeout DURATION  Longest time to wait. Default: 5m.
  -w, --watch         Print the answer again whenever it changes, until Ctrl-C.`,
  preflight: `Checks a cluster before you install or upgrade Holdfast: what the control plane does by itself, which controllers the cluster
needs, and which obstacles there are.

Usage:
  kubectl holdfast preflight [flags]

Examples:
  kubectl holdfast preflight
  # In a pipeline: exit code 3 if there is an obstacle.
  kubectl holdfast preflight -o json`,
  gates: `Lists the feature gates of Kubernetes whose work Holdfast does, and those of its controllers.

Usage:
  kubectl holdfast gates [flags]

Examples:
  kubectl holdfast gates -o yaml`,
  leaks: `Lists volumes whose storage is left behind, or will be if they are deleted before their claims.

Usage:
  kubectl holdfast leaks [flags]

Examples:
  kubectl holdfast leaks -o name`,
  completion: `Prints the program that lets kubectl complete these commands, in bash, zsh and fish. kubectl's own completion must be set up.

Usage:
  kubectl holdfast completion

Examples:
  kubectl holdfast completion > ~/.local/bin/kubectl_complete-holdfast
  chmod +x ~/.local/bin/kubectl_complete-holdfast`,
  undo: `Lists claims and volumes that will be deleted at the end of an undo window. With names, keeps them instead.

Usage:
  kubectl holdfast undo [flags]
  kubectl holdfast undo pvc|pv NAME... [--yes] [flags]
  kubectl holdfast undo --all [--yes] [flags]

To keep a claim, undo removes its mark. To keep a volume, undo sets its policy to Retain. Each write tests that the object has not changed since it
was read.

Examples:
  # What will be deleted soon, in any namespace?
  kubectl holdfast undo -A
  # Keep these two claims.
  kubectl holdfast undo pvc data-web-1 data-web-2 -n shop

Flags:
  --all               Keep everything that waits in the namespace, or with -A in all namespaces.
  --yes               Do not ask for confirmation.`,
  view: `Serves a page on this machine that draws live what holds what, until Ctrl-C. Prints the address of the page.

Usage:
  kubectl holdfast view [flags]

Examples:
  # Show namespace shop in a browser.
  kubectl holdfast view -n shop
  # Show all namespaces, on a fixed port that you forward from another machine.
  kubectl holdfast view -A --port 8090 --no-open

Flags:
  --port N            Port of 127.0.0.1 to listen on. Default: a free port.
  --no-open           Open no browser, only print the address. Everyone who has the address can see the page.`,
  uninstall: `Stops controllers, and removes what they have put on claims and volumes. Shows what it would do, and asks for confirmation.

Usage:
  kubectl holdfast uninstall [CONTROLLER...] [--yes] [--timeout 10m] [flags]

For each controller, it deletes the webhook configurations, scales the Deployment to zero, and runs a Job with the spec and the flags of the controller's pod
and --uninstall. Afterwards, delete the manifests that you applied: docs/leave.md. You can run the command again.

Examples:
  kubectl holdfast uninstall pvc-protection
  # Only the controllers in a namespace, see docs/one-namespace.md.
  kubectl holdfast uninstall -n shop

Flags:
  --timeout DURATION  Longest time to wait for the pods to be gone, and again for the Job to end. Default: 10m.
  --yes               Do not ask for confirmation.`,
};

export const commands: readonly string[] = Object.keys(helps);

const globalHelp = `Flags of all commands:
  --kubeconfig PATH   Path of the kubeconfig file. Default: $KUBECONFIG, else in-cluster, else ~/.kube/config.
  --context NAME      Context of the kubeconfig to use. Default: its current one.
  -n, --namespace NS  Namespace to use. Default: that of the context, else default; for uninstall, all namespaces.
  -A, --all-namespaces
                      For undo, view and uninstall: all namespaces.
  -o, --output HOW    Output format: json, yaml or name. Default: tables for humans.
  --assume NAME=on|off
                      Assume that a controller is at work (on) or not (off), whatever the cluster shows: kube-controller-manager
                      (its retention of claims) or statefulset-pvc-retention. For plan, explain pvc and explain sts. Default:
                      what the cluster shows.
  --insecure-http     Send credentials to an API server whose URL is plain http. Everyone on the network path can read them.
  --version           Print the version and exit.
  -h, --help          Print this and exit.

Exit codes:
  0  The command succeeded.
  1  The object does not exist, the API server could not be reached, or not everything was done or could be read.
  2  Wrong usage, or a kubeconfig that can't be used.
  3  status: a deployed controller is not at work. preflight: there is an obstacle.`;

/** Returns the help of a command; without a known command, that of the whole plugin. */
export function helpOf(command: string | undefined): string {
  const own = command !== undefined && Object.hasOwn(helps, command) ? helps[command] : undefined;
  return [
    own ??
      `Explains why storage still exists, and what will be deleted. Only uninstall, and undo with names or --all, write, and they ask first.

Usage:
  kubectl holdfast COMMAND [flags]

Commands:
  explain     Explain the state of an object: what holds it, and what happens next.
  plan        Predict what happens to the claims of a StatefulSet that is scaled or deleted.
  preflight   Check what the cluster does by itself, which controllers it needs, and which obstacles there are.
  status      Show whether the controllers of Holdfast are at work.
  gates       List feature gates of Kubernetes and of Holdfast.
  leaks       List volumes whose storage is left behind, or might be.
  view        Serve a page that draws live what holds what.
  undo        List what waits for the end of an undo window, or keep it.
  uninstall   Stop controllers, and remove what they have put on objects.
  completion  Print the program that lets shells complete these commands.`,
    globalHelp,
  ].join('\n\n');
}
