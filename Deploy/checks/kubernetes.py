#!/usr/bin/env python3
"""Validates Deploy/kubernetes by the schemas of Kubernetes, and what no schema says: kustomization.yaml names files
that exist, selectors find the nodes, the settings are Stoa's, and a shutdown has the time that it needs.

    Deploy/checks/kubernetes.py [SCHEMAS]

Needs PyYAML; without the package kubernetes-validate the schemas are skipped by name. SCHEMAS is a folder with JSON
schemas of what is not Kubernetes' own, `scaledobject_v1alpha1.json` of KEDA and `kustomization.json` of kustomize:
github.com/datreeio/CRDs-catalog and github.com/SchemaStore/schemastore have them. Exit status: 0 if all is well.
"""

import json
import pathlib
import re
import sys

try:
    import yaml
except ModuleNotFoundError:
    sys.exit(print("skipped (no Python package PyYAML): Deploy/kubernetes"))

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Deploy/kubernetes"
# The first version in which a sleep before the stop is on by default.
VERSION = "1.30"


def check_schemas(files):
    try:
        import kubernetes_validate
    except ModuleNotFoundError:
        print("skipped (no Python package kubernetes-validate): the schemas of Deploy/kubernetes")
        return
    for name, content in files.items():
        kubernetes_validate.validate(content, VERSION, strict=True)
    print(f"{len(files)} files follow the schemas of Kubernetes {VERSION}")


def check_other_schemas(folder):
    import jsonschema

    for name, schema in (("autoscaling.yaml", "scaledobject_v1alpha1.json"), ("kustomization.yaml", "kustomization.json")):
        jsonschema.validate(yaml.safe_load((FOLDER / name).read_text()), json.loads((folder / schema).read_text()))
    print("autoscaling.yaml follows the schema of KEDA, kustomization.yaml that of kustomize")


def main():
    if len(sys.argv) > 1:
        check_other_schemas(pathlib.Path(sys.argv[1]))
    kustomization = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
    files = {name: yaml.safe_load((FOLDER / name).read_text()) for name in kustomization["resources"]}
    check_schemas(files)
    by_kind = {content["kind"]: content for content in files.values()}
    pods = by_kind["Deployment"]["spec"]["template"]
    labels, pod = pods["metadata"]["labels"], pods["spec"]
    container = pod["containers"][0]

    for kind, path in (("Deployment", ["selector", "matchLabels"]), ("Service", ["selector"]),
                       ("PodDisruptionBudget", ["selector", "matchLabels"]),
                       ("NetworkPolicy", ["podSelector", "matchLabels"])):
        selector = by_kind[kind]["spec"]
        for key in path:
            selector = selector[key]
        assert selector.items() <= labels.items(), f"{kind} selects other pods: {selector}"

    known = set(re.findall(r"`(STOA_\w+)`", (ROOT / "docs/reference/settings.md").read_text()))
    settings = by_kind["ConfigMap"]["data"]
    names = set(settings) | {entry["name"] for entry in container["env"]} | {"STOA_DATABASE_URL", "STOA_METRICS_TOKEN"}
    assert names <= known, f"not Stoa's settings: {names - known}"
    sources = {source.get(kind, {}).get("name") for source in container["envFrom"] for kind in source}
    assert by_kind["ConfigMap"]["metadata"]["name"] in sources, "the settings are not used"

    sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    needed = sleep + int(settings["STOA_DRAIN_SECONDS"]) + 10
    assert pod["terminationGracePeriodSeconds"] >= needed, f"a shutdown needs {needed} s"
    ports = {port["name"] for port in container["ports"]}
    probes = [container[name]["httpGet"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    assert {probe["port"] for probe in probes} <= ports

    scaling = yaml.safe_load((FOLDER / "autoscaling.yaml").read_text())
    assert scaling["spec"]["scaleTargetRef"]["name"] == by_kind["Deployment"]["metadata"]["name"]
    metric = re.search(r"stoa_\w+", scaling["spec"]["triggers"][0]["metadata"]["query"])[0]
    assert f"`{metric}" in (ROOT / "docs/reference/metrics.md").read_text(), f"no metric {metric}"
    print("Deploy/kubernetes: names, selectors, settings and times agree")


if __name__ == "__main__":
    main()
