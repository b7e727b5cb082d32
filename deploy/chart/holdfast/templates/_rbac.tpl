{{/*
Roles and bindings of a file of files/roles, which is a copy of the kustomize base's: with the names of an installation, in the release's
namespace, and for `namespaces` only where they are set. root, installation, file, secret: the Secret of a driver.
*/}}
{{- define "holdfast.roles" -}}
{{- $root := .root }}
{{- $installation := .installation }}
{{- $scope := pick . "root" "installation" "secret" }}
{{- $cluster := dict }}
{{- $local := dict }}
{{- range splitList "\n---\n" ($root.Files.Get (printf "files/roles/%s.yaml" .file)) }}
  {{- $object := fromYaml . }}
  {{- $_ := set $object.metadata "name" (print $object.metadata.name $installation.suffix) }}
  {{- with (include "holdfast.labels" $scope | fromYaml).labels }}
    {{- $_ := set $object.metadata "labels" . }}
  {{- end }}
  {{- if $object.rules }}
    {{- $_ := set $object "rules" (include "holdfast.rules" (merge (dict "rules" $object.rules) $scope) | fromJsonArray) }}
  {{- else }}
    {{- $_ := set $object.roleRef "name" (print $object.roleRef.name $installation.suffix) }}
    {{- range $object.subjects }}
      {{- $_ := set . "name" (print .name $installation.suffix) }}
      {{- $_ := set . "namespace" $root.Release.Namespace }}
    {{- end }}
  {{- end }}
  {{- if has $object.kind (list "Role" "RoleBinding") }}
    {{- $_ := set $object.metadata "namespace" $root.Release.Namespace }}
---
{{ toYaml $object }}
  {{- else if not $root.Values.namespaces }}
---
{{ toYaml $object }}
  {{- else if eq $object.kind "ClusterRole" }}
    {{- $split := include "holdfast.splitRules" (dict "installation" $installation "rules" $object.rules) | fromJson }}
    {{- $_ := set $cluster $object.metadata.name $split.cluster }}
    {{- $_ := set $local $object.metadata.name $split.local }}
    {{- with $split.cluster }}
---
{{ toYaml (set (deepCopy $object) "rules" .) }}
    {{- end }}
    {{- with $split.local }}
      {{- $role := set (set (deepCopy $object) "kind" "Role") "rules" . }}
      {{- range $root.Values.namespaces }}
        {{- $_ := set $role.metadata "namespace" . }}
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
      {{- $binding := set (deepCopy $object) "kind" "RoleBinding" }}
      {{- $_ := set $binding.roleRef "kind" "Role" }}
      {{- range $root.Values.namespaces }}
        {{- $_ := set $binding.metadata "namespace" . }}
---
{{ toYaml $binding }}
      {{- end }}
    {{- end }}
  {{- end }}
{{ end }}
{{- end }}

{{/* The rules of a role for an installation, as a JSON list: its own names, and neither more nor less than its values ask for. */}}
{{- define "holdfast.rules" -}}
{{- $suffix := .installation.suffix }}
{{- $secret := .secret }}
{{- $workloads := .installation.values.workloads }}
{{- $signs := include "holdfast.signsCertificate" . }}
{{- $ofCertificate := list }}
{{- if and (eq .installation.app "pvc-protection") (not $signs) }}
  {{- $ofCertificate = list "secrets" "mutatingwebhookconfigurations" }}
{{- end }}
{{- $rules := list }}
{{- range $rule := .rules }}
  {{- $resource := first $rule.resources }}
  {{- if not (has $resource $ofCertificate) }}
    {{- with $rule.resourceNames }}
      {{- $names := list }}
      {{- range . }}
        {{- $names = append $names (hasPrefix "holdfast-" . | ternary (print . $suffix) (default . $secret)) }}
      {{- end }}
      {{- $_ := set $rule "resourceNames" $names }}
    {{- end }}
    {{- $rules = append $rules $rule }}
    {{- if eq $resource "statefulsets" }}
      {{- range $workloads }}
        {{- $kind := splitList "/" . }}
        {{- if ne (first $kind) "apps" }}
          {{- $rules = append $rules (dict "apiGroups" (list (first $kind)) "resources" (list (printf "%ss" (last $kind | lower))) "verbs" $rule.verbs) }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $rules }}
{{- end }}

{{/* The rules of a ClusterRole, as JSON: `cluster`, on what has no namespace, and `local`. */}}
{{- define "holdfast.splitRules" -}}
{{- $ofTheCluster := list "persistentvolumes" "volumeattachments" "storageclasses" "tokenreviews" "subjectaccessreviews" }}
{{- if eq .installation.app "pv-reclaim-honor" }}
  {{- /* Events on volumes are in namespace default. */}}
  {{- $ofTheCluster = append $ofTheCluster "events" }}
{{- end }}
{{- $cluster := list }}
{{- $local := list }}
{{- range .rules }}
  {{- if has (first .resources) $ofTheCluster }}
    {{- $cluster = append $cluster . }}
  {{- else }}
    {{- $local = append $local . }}
  {{- end }}
{{- end }}
{{- toJson (dict "cluster" $cluster "local" $local) }}
{{- end }}
