// Command e2e is Kubernetes' own end-to-end tests of sig-apps and sig-storage, without those of the other groups, and without
// what the suite does to a cluster of strangers before its first test (it waits for nodes, for kube-system, for daemons).
package main

import (
	"flag"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/testinit"
	_ "k8s.io/kubernetes/test/e2e/apps"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/metrics/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	_ "k8s.io/kubernetes/test/e2e/storage"
	_ "k8s.io/kubernetes/test/e2e/storage/csimock"
	"k8s.io/kubernetes/test/e2e/testing-manifests"
	_ "k8s.io/kubernetes/test/utils/format"
)

// outcome is what ginkgo reports to in place of a *testing.T.
type outcome struct{ failed bool }

func (o *outcome) Fail() { o.failed = true }

func main() {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()

	testfiles.AddFileSource(testing_manifests.GetE2ETestingManifestsFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	logs.InitLogs()
	defer logs.FlushLogs()

	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	var result outcome
	ginkgo.RunSpecs(&result, "Kubernetes e2e suite", suite, reporter)
	if result.failed {
		os.Exit(1)
	}
}
