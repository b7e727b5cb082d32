import type { Command } from './commands.ts';

/**
 * The commands for helm, in order, with kubectl commands that look at the results, on an API server without
 * controllers.
 */
export const helmCommands: readonly Command[] = `
  helm list
  helm install shop shop --dry-run=server
  helm install shop shop --set widget.size=11
  helm list -a
  helm install shop shop
  helm uninstall shop --no-hooks
  helm install shop shop
  helm install shop shop
  helm list
  helm list -o yaml
  helm status shop
  helm status shop --revision=1
  helm get manifest shop
  helm get values shop --all
  helm get hooks shop
  helm get notes shop
  helm get metadata shop
  helm test shop
  kubectl get all,configmaps,secrets,ingresses,networkpolicies,pdb,roles,rolebindings,widgets -o name
  kubectl get configmap shop-found -o yaml
  kubectl get widget shop -o yaml
  kubectl get deployment shop -o yaml --show-managed-fields
  helm upgrade shop shop --set color=blue,replicas=3
  helm upgrade shop shop --set color=blue,replicas=3,widget.size=11
  helm history shop
  kubectl get configmap shop-settings -o yaml
  kubectl scale deployment shop --replicas=7
  helm upgrade shop shop --reuse-values --set image=nginx:1.30
  kubectl get deployment shop -o jsonpath={.spec}
  helm upgrade shop shop --set image.name=wrong
  helm history shop
  helm rollback shop 1
  kubectl get deployment shop -o jsonpath={.spec}
  kubectl get configmap shop-settings -o jsonpath={.data}
  helm rollback shop 99
  helm history shop
  helm upgrade --install shop shop --set hooks=false --force
  helm upgrade shop shop --atomic --timeout=3s --set color=green
  helm history shop
  helm upgrade --install second shop -n other
  helm upgrade --install second shop -n other --create-namespace
  helm list -A
  helm status nothing
  helm upgrade nothing shop
  helm uninstall nothing
  helm uninstall shop --keep-history
  helm list -a
  helm history shop
  helm uninstall shop
  kubectl get all,configmaps,ingresses,networkpolicies,pdb,roles,rolebindings,widgets -o name
  kubectl get crd widgets.example.com -o name
  helm list -a
`
  .trim()
  .split('\n')
  .map((line) => ({ line: line.trim() }));
