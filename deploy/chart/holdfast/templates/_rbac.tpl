{{/*
Roles and bindings of a file of files/roles, which is a copy of the kustomize base's: with the names of an installation, in the release's
namespace, and for `namespaces` only where they are set. root, installation, file, secret: the Secret of a driver.
*/}}
{{- define "holdfast.roles" -}}
{{- $root := .root }}
{{- $installation := .installation }}
{{- $secret := .secret }}
{{- $local := dict }}
{{- $cluster := dict }}
{{- range splitList "\n---\n" ($root.Files.Get (printf "files/roles/%s.yaml" .file)) }}
  {{- $object := fromYaml . }}
  {{- $name := print $object.metadata.name $installation.suffix }}
  {{- $_ := set $object.metadata "name" $name }}
  {{- range $object.subjects }}
    {{- $_ := set . "name" (print .name $installation.suffix) }}
    {{- $_ := set . "namespace" $root.Release.Namespace }}
  {{- end }}
  {{- range $rule := $object.rules }}
    {{- with $rule.resourceNames }}
      {{- $names := list }}
      {{- range . }}
        {{- $names = append $names (hasPrefix "holdfast-" . | ternary (print . $installation.suffix) (default . $secret)) }}
      {{- end }}
      {{- $_ := set $rule "resourceNames" $names }}
    {{- end }}
  {{- end }}
  {{- with $object.roleRef }}
    {{- $_ := set . "name" (print .name $installation.suffix) }}
  {{- end }}
  {{- with (include "holdfast.labels" (dict "root" $root "installation" $installation) | fromYaml).labels }}
    {{- $_ := set $object.metadata "labels" . }}
  {{- end }}
  {{- if has $object.kind (list "Role" "RoleBinding") }}
    {{- $_ := set $object.metadata "namespace" $root.Release.Namespace }}
---
{{ toYaml $object }}
  {{- else if not $root.Values.namespaces }}
    {{- if eq $object.kind "ClusterRole" }}
      {{- $_ := set $object "rules" (concat $object.rules (include "holdfast.rulesOfWorkloads" (dict "installation" $installation "rules" $object.rules) | fromJsonArray)) }}
    {{- end }}
---
{{ toYaml $object }}
  {{- else if eq $object.kind "ClusterRole" }}
    {{- /* Rules on what has no namespace stay with the cluster. Events on volumes are in namespace default. */}}
    {{- $all := concat $object.rules (include "holdfast.rulesOfWorkloads" (dict "installation" $installation "rules" $object.rules) | fromJsonArray) }}
    {{- $kept := list }}
    {{- $moved := list }}
    {{- $ofTheCluster := list "persistentvolumes" "volumeattachments" "storageclasses" "tokenreviews" "subjectaccessreviews" }}
    {{- if eq $installation.app "pv-reclaim-honor" }}
      {{- $ofTheCluster = append $ofTheCluster "events" }}
    {{- end }}
    {{- range $rule := $all }}
      {{- if has (first $rule.resources) $ofTheCluster }}
        {{- $kept = append $kept $rule }}
      {{- else if not (has "admissionregistration.k8s.io" $rule.apiGroups) }}
        {{- $moved = append $moved $rule }}
      {{- end }}
    {{- end }}
    {{- $_ := set $cluster $name $kept }}
    {{- $_ := set $local $name $moved }}
    {{- if $kept }}
---
{{ toYaml (set (deepCopy $object) "rules" $kept) }}
    {{- end }}
    {{- if $moved }}
      {{- range $namespace := $root.Values.namespaces }}
        {{- $role := set (set (deepCopy $object) "kind" "Role") "rules" $moved }}
        {{- $_ := set $role.metadata "namespace" $namespace }}
---
{{ toYaml $role }}
      {{- end }}
    {{- end }}
  {{- else }}
    {{- if get $cluster $object.roleRef.name }}
---
{{ toYaml $object }}
    {{- end }}
    {{- if get $local $object.roleRef.name }}
      {{- range $namespace := $root.Values.namespaces }}
        {{- $binding := set (deepCopy $object) "kind" "RoleBinding" }}
        {{- $_ := set $binding.roleRef "kind" "Role" }}
        {{- $_ := set $binding.metadata "namespace" $namespace }}
---
{{ toYaml $binding }}
      {{- end }}
    {{- end }}
  {{- end }}
{{ end }}
{{- end }}

{{/* For each kind of `workloads` that is no StatefulSet of Kubernetes' own, the rule that there is for these. A JSON list. */}}
{{- define "holdfast.rulesOfWorkloads" -}}
{{- $more := list }}
{{- range $rule := .rules }}
  {{- if has "statefulsets" $rule.resources }}
    {{- range $.installation.values.workloads }}
      {{- $parts := splitList "/" . }}
      {{- if ne (first $parts) "apps" }}
        {{- $more = append $more (dict "apiGroups" (list (first $parts)) "resources" (list (printf "%ss" (last $parts | lower))) "verbs" $rule.verbs) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $more }}
{{- end }}
