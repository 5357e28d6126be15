/** Puts versions and delete markers of a listing in one order, the newest of a key first. */
import type { DeleteMarkerEntry, ListObjectVersionsCommandOutput, ObjectVersion } from '@aws-sdk/client-s3'
import type { ListedKind } from './listed-kinds.ts'

interface Listed {
  readonly kind: ListedKind
  readonly key: string
  readonly versionId: string
  readonly size: number
  readonly isLatest: boolean
  readonly time: number
}

/**
 * The document has the order, except with servers that list the two kinds apart, one behind the other, as versitygw and moto do: theirs
 * are put together. `undefined` if `kinds`, those of the document, are not those of the answer.
 */
export function listedVersions(
  answer: ListObjectVersionsCommandOutput,
  kinds: readonly ListedKind[],
  decoded: (key: string) => string,
): readonly Listed[] | undefined {
  const listedAs =
    (kind: ListedKind) =>
    (entry: ObjectVersion | DeleteMarkerEntry): Listed => ({
      kind,
      key: decoded(entry.Key ?? ''),
      versionId: entry.VersionId ?? 'null',
      size: 'Size' in entry && typeof entry.Size === 'number' ? entry.Size : 0,
      isLatest: entry.IsLatest === true,
      time: entry.LastModified?.getTime() ?? 0,
    })
  const versions = (answer.Versions ?? []).map(listedAs('object'))
  const markers = (answer.DeleteMarkers ?? []).map(listedAs('marker'))
  const count = (kind: ListedKind): number => kinds.filter((each) => each === kind).length
  if (count('object') !== versions.length || count('marker') !== markers.length) return undefined
  if (!areApart(kinds)) return inOrderOf(kinds, versions, markers)

  const together = kinds[0] === 'object' ? merged(versions, markers) : merged(markers, versions)
  const { NextKeyMarker: key, NextVersionIdMarker: versionId } = answer
  // The next page begins after this one, so it is the last.
  const isEnd = (each: Listed): boolean =>
    key !== undefined && each.key === decoded(key) && each.versionId === versionId
  return [...together.filter((each) => !isEnd(each)), ...together.filter(isEnd)]
}

const areApart = (kinds: readonly ListedKind[]): boolean =>
  kinds.filter((kind, i) => i > 0 && kind !== kinds[i - 1]).length === 1

function inOrderOf(kinds: readonly ListedKind[], versions: readonly Listed[], markers: readonly Listed[]): Listed[] {
  const next = { object: versions.values(), marker: markers.values() }
  return kinds.flatMap((kind) => next[kind].next().value ?? [])
}

/** Each list keeps its own order. */
function merged(first: readonly Listed[], second: readonly Listed[]): Listed[] {
  const [one, other] = [[...first], [...second]]
  const together: Listed[] = []
  for (;;) {
    const [a, b] = [one[0], other[0]]
    if (a === undefined || b === undefined) return [...together, ...one, ...other]
    const isOther = standsBefore(b, a)
    together.push(isOther ? b : a)
    ;(isOther ? other : one).shift()
  }
}

/** Ids that are ULIDs tell which was first. Times may be those at which a version was replaced: versitygw's are. */
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

function standsBefore(a: Listed, b: Listed): boolean {
  const order = Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))
  if (order !== 0) return order < 0
  if (a.isLatest !== b.isLatest) return a.isLatest
  if (ulid.test(a.versionId) && ulid.test(b.versionId)) return a.versionId > b.versionId
  return a.time > b.time
}
