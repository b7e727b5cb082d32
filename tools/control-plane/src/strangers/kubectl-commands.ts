import type { Command } from './commands.ts';

/*
 * The commands for kubectl, in order, on an API server without controllers. Each line is what a user would
 * type. Its output and exit code are compared.
 */

/**
 * Repeats the command until it ends with 0, because it depends on what the real server does shortly after an
 * earlier answer.
 */
const settles = true;

const plain = (lines: string): readonly Command[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => ({ line: line.trim() }));

const about = plain(`
  kubectl version -o json --client
  kubectl api-versions
  kubectl api-resources
  kubectl api-resources -o wide --sort-by=name
  kubectl api-resources --namespaced=false -o name
  kubectl api-resources --api-group=apps --verbs=patch
  kubectl api-resources --categories=all
  kubectl auth whoami
  kubectl auth whoami -o yaml
  kubectl auth can-i create pods
  kubectl auth can-i '*' '*' --all-namespaces
  kubectl auth can-i get pods --as=nobody
  kubectl auth can-i --list --as=nobody
  kubectl auth can-i get gadgets
  kubectl get --raw /healthz
  kubectl get --raw /livez
  kubectl get --raw /readyz
  kubectl get --raw /livez?verbose
  kubectl get --raw /readyz?verbose&exclude=etcd&exclude=nothing
  kubectl get --raw /readyz/ping
  kubectl get --raw /readyz/nothing
  kubectl get --raw /api
  kubectl get --raw /apis/apps
  kubectl get --raw /nothing
  kubectl get --raw /version
  kubectl cluster-info
  kubectl get namespaces
  kubectl get ns --show-labels
  kubectl get all
  kubectl get all -A
  kubectl get priorityclasses
  kubectl get componentstatuses --sort-by=.metadata.name
  kubectl get cs etcd-0
  kubectl get cs scheduler -o yaml
  kubectl describe cs etcd-0
  kubectl get cs nosuch
  kubectl get gadgets
  kubectl get
  kubectl top pods
  kubectl top nodes
`);

const explain = plain(`
  kubectl explain pods
  kubectl explain pod.spec.containers.resources
  kubectl explain deployment.spec.strategy
  kubectl explain configmap --recursive
  kubectl explain pvc.spec --recursive
  kubectl explain pods.spec.nothing
  kubectl explain gadgets
  kubectl explain horizontalpodautoscalers --api-version=autoscaling/v1
  kubectl explain cronjob --output=plaintext-openapiv2
`);

const configMaps: readonly Command[] = [
  ...plain(`
  kubectl create configmap settings --from-literal=color=red
  kubectl create configmap settings --from-literal=color=red
  kubectl create -f settings.yaml
  kubectl create configmap other --from-literal=a=b --dry-run=client -o yaml
  kubectl create configmap other --from-literal=a=b --dry-run=server -o yaml
  kubectl create configmap other --from-literal=a=b --dry-run=server
  kubectl apply -f settings.yaml
  kubectl apply -f settings.yaml
  kubectl diff -f settings-blue.yaml
  kubectl apply -f settings-blue.yaml --dry-run=server
  kubectl apply -f settings-blue.yaml --dry-run=client
  kubectl apply -f settings-blue.yaml
  kubectl diff -f settings-blue.yaml
  kubectl apply view-last-applied configmap/settings
  kubectl get configmap settings
  kubectl get configmap settings -o wide
  kubectl get configmap settings -o yaml
  kubectl get configmap settings -o json
  kubectl get configmap settings -o yaml --show-managed-fields
  kubectl get configmap settings -o name
  kubectl get configmap settings -o jsonpath={.data.color}
  kubectl get configmap settings -o jsonpath={.data.nothing}
  kubectl get configmap settings -o go-template={{.metadata.name}}
  kubectl get configmap settings -o custom-columns=NAME:.metadata.name,COLOR:.data.color
  kubectl get configmaps --no-headers
  kubectl get configmaps -l app=shop
  kubectl get configmaps -l app!=shop
  kubectl get configmaps -l 'app in (shop,web),tier'
  kubectl get configmaps -l 'app in shop'
  kubectl get configmaps -L app,tier
  kubectl get configmaps --field-selector metadata.name=settings
  kubectl get configmaps --field-selector data.color=red
  kubectl get configmaps -A --sort-by=.metadata.name
  kubectl get configmap nothing
  kubectl get configmap nothing --ignore-not-found
  kubectl get configmap settings -n nowhere
  kubectl get configmaps --chunk-size=1
  kubectl describe configmap settings
  kubectl label configmap settings team=a
  kubectl label configmap settings team=b
  kubectl label configmap settings team=b --overwrite
  kubectl label configmap settings team-
  kubectl label configmap settings 'team=a b'
  kubectl label configmaps --all team=a
  kubectl annotate configmap settings note='what it is'
  kubectl annotate configmap settings note- --resource-version=1
  kubectl annotate configmap settings note-
  kubectl patch configmap settings --type=merge -p '{"data":{"size":"11"}}'
  kubectl patch configmap settings -p '{"metadata":{"finalizers":["example.com/hold"]}}'
  kubectl patch configmap settings --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'
  kubectl patch configmap settings --type=json -p '[{"op":"test","path":"/data/color","value":"red"}]'
  kubectl patch configmap settings --type=json -p '[{"op":"remove","path":"/data/nothing"}]'
  kubectl patch configmap settings --type=json -p '[{"op":"leap","path":"/data"}]'
  kubectl patch configmap settings --type=merge -p '{"data":[]}'
  kubectl patch configmap settings --type=merge -p '{"data":'
  kubectl patch configmap settings --type=merge --patch-file patch.json
  kubectl patch configmap settings -p '{"data":{"color":"green"}}'
  kubectl patch configmap nothing -p '{}'
  kubectl set env configmap/settings A=b
  kubectl replace -f settings.yaml
  kubectl replace --force -f settings.yaml --grace-period=0
  kubectl replace -f pod.yaml
`),
  { line: 'kubectl edit configmap settings', env: { KUBE_EDITOR: './edit.sh' } },
  { line: 'kubectl edit configmap settings', env: { KUBE_EDITOR: 'true' } },
  { line: 'kubectl edit configmap settings', env: { KUBE_EDITOR: './edit-bad.sh' } },
  ...plain(`
  kubectl get configmap settings -o yaml
  kubectl delete configmap settings --dry-run=server
  kubectl delete configmap settings
  kubectl delete configmap settings
  kubectl delete configmap settings --ignore-not-found
  kubectl delete configmaps -l app=shop
  kubectl delete configmaps
`),
];

const serverSide = plain(`
  kubectl apply --server-side -f settings.yaml
  kubectl apply --server-side -f settings.yaml --field-manager=other
  kubectl apply --server-side -f settings-blue.yaml --field-manager=other
  kubectl apply --server-side -f settings-blue.yaml --field-manager=other --force-conflicts
  kubectl apply --server-side -f settings-blue.yaml --field-manager=other --dry-run=server
  kubectl get configmap settings -o yaml --show-managed-fields
  kubectl apply -f settings.yaml
  kubectl diff --server-side -f settings-blue.yaml
  kubectl apply --server-side -f pod-port.yaml
  kubectl apply --server-side -f pod-field.yaml
  kubectl delete -f settings.yaml
`);

const secrets = plain(`
  kubectl create secret generic key --from-literal=password=secret
  kubectl get secret key -o yaml
  kubectl describe secret key
  kubectl create secret docker-registry pull --docker-username=a --docker-password=b --docker-server=registry.example.com
  kubectl get secrets
  kubectl create secret tls cert --cert=nothing.pem --key=nothing.pem
  kubectl patch secret key --type=merge -p '{"immutable":true}'
  kubectl patch secret key --type=merge -p '{"stringData":{"password":"other"}}'
  kubectl patch secret key --type=merge -p '{"type":"example.com/other"}'
  kubectl delete secret key pull
`);

const wrong = plain(`
  kubectl create -f pod-port.yaml
  kubectl create -f pod-twice.yaml
  kubectl create -f pod-field.yaml
  kubectl create -f pod-field.yaml --validate=warn --dry-run=server
  kubectl create -f pod-field.yaml --validate=ignore --dry-run=server
  kubectl create -f pod-type.yaml
  kubectl create -f pod-type.yaml --validate=ignore
  kubectl create -f no-kind.yaml
  kubectl create -f no-name.yaml
  kubectl create -f no-such-kind.yaml
  kubectl create -f bad-name.yaml
  kubectl create -f broken.yaml
  kubectl create -f nothing.yaml
  kubectl create -f deployment-selector.yaml
  kubectl create -f service-bad.yaml
  kubectl apply -f settings.yaml -n nowhere
  kubectl create namespace Bad_Name
  kubectl create deployment shop
  kubectl run bad --image=' '
  kubectl scale deployment nothing --replicas=2
  kubectl delete namespace default
  kubectl frobnicate
`);

const pods = plain(`
  kubectl apply -f pod.yaml
  kubectl run tool --image=busybox:1.37 --restart=Never --labels=app=tool -- sleep 1
  kubectl run other --image=busybox:1.37 --dry-run=server -o yaml
  kubectl get pods
  kubectl get pods -o wide
  kubectl get pod web -o yaml
  kubectl get pods -o json
  kubectl get pods -o custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image
  kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name}{" "}{.status.qosClass}{"\\n"}{end}'
  kubectl get pods -o go-template='{{range .items}}{{.metadata.name}}{{end}}'
  kubectl get pods --field-selector=status.phase=Pending
  kubectl get pods --field-selector=spec.nodeName=node-1
  kubectl get pods --field-selector=spec.image=a
  kubectl get pods,configmaps -A -o name
  kubectl describe pod web
  kubectl describe pods
  kubectl set image pod/web web=nginx:1.30
  kubectl set resources pod/web --limits=memory=256Mi
  kubectl patch pod web -p '{"spec":{"nodeName":"node-9"}}'
  kubectl label pods --all checked=yes
  kubectl wait --for=condition=Ready pod/web --timeout=1s
  kubectl wait --for=jsonpath='{.status.phase}'=Pending pod/web --timeout=5s
  kubectl wait --for=delete pod/nothing --timeout=1s
  kubectl exec tool -- true
  kubectl logs nothing
  kubectl expose pod web --port=80 --name=web
  kubectl delete pod web --dry-run=client
  kubectl delete pod web tool --wait=false
  kubectl delete pods --all --grace-period=0 --force
  kubectl delete service web
`);

const workloads = plain(`
  kubectl apply -f deployment.yaml
  kubectl get deployments -o wide
  kubectl get deployment shop -o yaml
  kubectl describe deployment shop
  kubectl scale deployment shop --replicas=3
  kubectl scale deployment shop --current-replicas=9 --replicas=1
  kubectl scale --replicas=-1 deployment/shop
  kubectl get deployment shop --subresource=scale -o yaml
  kubectl patch deployment shop --subresource=status --type=merge -p '{"status":{"replicas":3,"readyReplicas":1,"observedGeneration":1}}'
  kubectl set image deployment/shop shop=nginx:1.30
  kubectl set env deployment/shop COLOR=red
  kubectl set env deployment/shop --list
  kubectl set serviceaccount deployment shop robot
  kubectl set resources deployment shop --requests=cpu=100m
  kubectl set selector service shop app=other
  kubectl rollout history deployment shop
  kubectl rollout status deployment shop --timeout=1s
  kubectl rollout pause deployment shop
  kubectl rollout pause deployment shop
  kubectl rollout resume deployment shop
  kubectl rollout restart deployment shop
  kubectl rollout undo deployment shop
  kubectl patch deployment shop -p '{"spec":{"selector":{"matchLabels":{"app":"other"}}}}'
  kubectl patch deployment shop -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}'
  kubectl get deployment shop -o jsonpath={.spec.template.spec.containers[*].name}
  kubectl autoscale deployment shop --min=1 --max=4 --cpu=80%
  kubectl get hpa
  kubectl describe hpa shop
  kubectl expose deployment shop --port=80 --target-port=8080
  kubectl get service shop -o yaml
  kubectl describe service shop
  kubectl get services
  kubectl create service nodeport door --tcp=80:8080
  kubectl create service externalname far --external-name=example.com
  kubectl get services -o wide
  kubectl apply -f workloads.yaml
  kubectl get statefulsets,daemonsets,cronjobs,pdb,ingress,networkpolicies
  kubectl get sts,ds,cj,pdb,ing,netpol -o wide
  kubectl describe statefulset db
  kubectl describe cronjob nightly
  kubectl describe ingress shop
  kubectl describe pdb db
  kubectl describe networkpolicy deny
  kubectl create job once --image=busybox:1.37
  kubectl create job from-nightly --from=cronjob/nightly
  kubectl get jobs
  kubectl create cronjob daily --image=busybox:1.37 --schedule='every day'
  kubectl scale statefulset db --replicas=1
  kubectl patch statefulset db -p '{"spec":{"serviceName":"other"}}'
  kubectl rollout status statefulset db --timeout=1s
  kubectl create ingress other --rule='a.example.com/*=shop:80'
  kubectl create poddisruptionbudget shop --selector=app=shop --min-available=1
  kubectl get all
  kubectl delete deployment shop --cascade=orphan --wait=false
  kubectl delete statefulset db --cascade=background
  kubectl delete daemonset agent --cascade=foreground --wait=false
  kubectl get daemonset agent -o jsonpath={.metadata.finalizers}
  kubectl delete jobs,cronjobs,ingresses,networkpolicies,pdb,hpa --all --cascade=background
  kubectl delete services shop door far
`);

const storage = plain(`
  kubectl apply -f class.yaml -f volume.yaml -f claim.yaml
  kubectl get storageclasses,persistentvolumes,persistentvolumeclaims
  kubectl get sc,pv,pvc -o wide
  kubectl describe storageclass fast
  kubectl describe persistentvolume disk-1
  kubectl describe persistentvolumeclaim data
  kubectl get pvc data -o yaml
  kubectl patch pvc data -p '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}'
  kubectl patch pvc data -p '{"spec":{"storageClassName":"slow"}}'
  kubectl patch pv disk-1 -p '{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'
  kubectl patch pv disk-1 -p '{"spec":{"hostPath":{"path":"/other"}}}'
  kubectl patch storageclass fast -p '{"provisioner":"example.com/slow"}'
  kubectl delete pvc data --wait=false
  kubectl patch pvc data --type=merge -p '{"metadata":{"finalizers":null}}'
  kubectl delete pv disk-1 --wait=false
  kubectl patch pv disk-1 --type=merge -p '{"metadata":{"finalizers":null}}'
  kubectl delete storageclass fast
`);

const cluster = plain(`
  kubectl create -f node.yaml
  kubectl get nodes
  kubectl get nodes -o wide
  kubectl describe node node-1
  kubectl taint nodes node-1 spot=yes:NoSchedule
  kubectl taint nodes node-1 spot=no:NoSchedule
  kubectl taint nodes node-1 spot=no:Sometimes
  kubectl taint nodes node-1 spot-
  kubectl cordon node-1
  kubectl cordon node-1
  kubectl get node node-1
  kubectl drain node-1 --ignore-daemonsets
  kubectl uncordon node-1
  kubectl label node node-1 node-role.kubernetes.io/worker=
  kubectl delete node node-1
  kubectl create namespace shop
  kubectl get namespace shop -o yaml
  kubectl describe namespace shop
  kubectl create serviceaccount robot -n shop
  kubectl get serviceaccounts -n shop
  kubectl describe serviceaccount robot -n shop
  kubectl create role reader --verb=get,list --resource=pods,deployments.apps -n shop
  kubectl create rolebinding reader --role=reader --serviceaccount=shop:robot -n shop
  kubectl create clusterrole viewer --verb=get --resource=nodes
  kubectl create clusterrolebinding viewer --clusterrole=viewer --user=alice
  kubectl describe role reader -n shop
  kubectl describe clusterrolebinding viewer
  kubectl auth can-i list pods -n shop --as=system:serviceaccount:shop:robot
  kubectl auth can-i delete pods -n shop --as=system:serviceaccount:shop:robot
  kubectl auth can-i --list -n shop --as=system:serviceaccount:shop:robot
  kubectl get pods -n shop --as=alice
  kubectl delete configmap a -n shop --as=alice
  kubectl get clusterroles view -o yaml
  kubectl get clusterrole system:node
  kubectl describe clusterrole edit
  kubectl create quota small --hard=pods=2 -n shop
  kubectl apply -f quota.yaml
  kubectl describe quota quota
  kubectl describe limits limits
  kubectl delete -f quota.yaml
  kubectl create priorityclass high --value=1000 --description='of high priority'
  kubectl get priorityclass high -o yaml
  kubectl delete priorityclass high
  kubectl delete priorityclass system-node-critical
  kubectl apply -f request.yaml
  kubectl get csr
  kubectl describe csr alice
  kubectl certificate approve alice
  kubectl certificate deny alice
  kubectl get csr alice -o jsonpath={.status.conditions[*].type}
  kubectl delete csr alice
  kubectl get events
  kubectl events
  kubectl get leases -A
  kubectl get flowschemas
  kubectl describe flowschema probes
  kubectl get flowschema service-accounts -o yaml --show-managed-fields
  kubectl get prioritylevelconfigurations
  kubectl get prioritylevelconfiguration global-default -o yaml --show-managed-fields
  kubectl get apiservices
  kubectl get endpoints,endpointslices
  kubectl get validatingadmissionpolicies
  kubectl create token robot -n shop --duration=1s
  kubectl delete clusterrole viewer
  kubectl delete clusterrolebinding viewer
  kubectl delete namespace shop --wait=false
  kubectl get namespace shop
  kubectl create configmap late --from-literal=a=b -n shop
`);

const customKinds: readonly Command[] = [
  ...plain(`
  kubectl get widgets
  kubectl create -f definition.yaml
  kubectl wait --for=condition=Established crd/widgets.example.com --timeout=10s
`),
  { line: 'kubectl get widgets', settles },
  { line: 'kubectl explain widgets', settles },
  ...plain(`
  kubectl explain widgets.spec --recursive
  kubectl get crd
  kubectl get crd widgets.example.com -o yaml
  kubectl describe crd widgets.example.com
`),
  { line: 'kubectl apply -f widget.yaml', settles },
  { line: 'kubectl apply -f widget.yaml' },
  { line: 'kubectl apply -f widget-size.yaml', inAnyOrder: true },
  ...plain(`
  kubectl apply -f widget-rule.yaml
  kubectl apply -f widget-field.yaml
  kubectl apply --server-side -f widget-field.yaml
  kubectl create -f widget-field.yaml --validate=ignore
  kubectl get widgets
  kubectl get wi -o wide
  kubectl get shopware
  kubectl get widget one -o yaml
  kubectl describe widget one
  kubectl scale widget one --replicas=4
  kubectl scale widget one --replicas=40
  kubectl patch widget one --type=merge -p '{"spec":{"colour":"blue"}}'
  kubectl patch widget one -p '{"spec":{"colour":"blue"}}'
  kubectl patch widget one --subresource=status --type=merge -p '{"status":{"size":4}}'
  kubectl get widget one --subresource=scale -o yaml
  kubectl get widgets -o custom-columns=SIZE:.spec.size,NOW:.status.size
  kubectl wait --for=jsonpath='{.status.size}'=4 widget/one --timeout=5s
  kubectl label widget one checked=yes
  kubectl diff -f widget.yaml
  kubectl auth can-i create widgets.example.com
  kubectl api-resources --api-group=example.com
  kubectl delete widget one
  kubectl delete crd widgets.example.com
`),
];

const many = plain(`
  kubectl kustomize .
  kubectl apply -k .
  kubectl get -k .
  kubectl diff -k .
  kubectl delete -k .
  kubectl apply -f settings.yaml -f service.yaml -l app=shop
  kubectl apply -f settings.yaml --prune -l app=shop --prune-allowlist=core/v1/ConfigMap
  kubectl apply set-last-applied -f settings.yaml
  kubectl get -f settings.yaml -f service.yaml
  kubectl delete -f settings.yaml --now
  kubectl get --raw /api/v1/namespaces/default/configmaps?limit=1&nothing=1
  kubectl create --raw /api/v1/namespaces/default/configmaps -f patch.json
  kubectl get --raw /api/v1/namespaces/default/configmaps?resourceVersionMatch=maybe
  kubectl get --raw /apis/apps/v1/namespaces/default/deployments?limit=many
  kubectl get --raw /openapi/v3/apis/nothing/v1
  kubectl get --raw /.well-known/openid-configuration
  kubectl get --raw /openid/v1/jwks
  kubectl get --raw /metrics/nothing
  kubectl cluster-info dump --namespaces=kube-public
`);

export const kubectlCommands: readonly Command[] = [
  ...about,
  ...explain,
  ...configMaps,
  ...serverSide,
  ...secrets,
  ...wrong,
  ...pods,
  ...workloads,
  ...storage,
  ...cluster,
  ...customKinds,
  ...many,
];
