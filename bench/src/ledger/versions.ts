/** The order of releases: 0.9.0, 0.10.0-rc.1, 0.10.0. */
const numeric = new Intl.Collator('en', { numeric: true })

export function compareVersions(a: string, b: string): number {
  const [release, prerelease] = partsOf(a)
  const [otherRelease, otherPrerelease] = partsOf(b)
  if (release !== otherRelease) return numeric.compare(release, otherRelease)
  // A prerelease comes before its release.
  if (prerelease === '' || otherPrerelease === '') return otherPrerelease.length - prerelease.length
  return numeric.compare(prerelease, otherPrerelease)
}

function partsOf(version: string): [release: string, prerelease: string] {
  const [, release = version, prerelease = ''] = /^([\d.]+)(?:-([^+]*))?/.exec(version) ?? []
  return [release, prerelease]
}
