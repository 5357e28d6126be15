/**
 * The fields that a row of each table must have to be usable. A right checksum is no proof of them: another program
 * that changes rows can compute it too.
 */
type Fields = Readonly<Record<string, unknown>>
type IsShaped = (row: Fields) => boolean

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isSeal = (sealed: unknown): boolean =>
  sealed === undefined ||
  (isFields(sealed) &&
    typeof sealed['mode'] === 'string' &&
    (sealed['keyCrc'] === undefined || typeof sealed['keyCrc'] === 'number'))

const isBlob = (blob: unknown): boolean =>
  isFields(blob) &&
  typeof blob['id'] === 'string' &&
  typeof blob['size'] === 'number' &&
  typeof blob['inline'] === 'boolean' &&
  typeof blob['crcs'] === 'string'

function isContent(content: unknown): boolean {
  if (!isFields(content)) return false
  switch (content['kind']) {
    case 'empty':
      return true
    case 'blob':
      return isBlob(content['blob']) && isSeal(content['sealed'])
    case 'parts':
      return typeof content['upload'] === 'number'
    default:
      return false
  }
}

const isActor = (actor: unknown): boolean =>
  isFields(actor) && typeof actor['id'] === 'string' && typeof actor['name'] === 'string'

const isMetadata = (metadata: unknown): boolean => isFields(metadata) && Array.isArray(metadata['user'])

const isChecksum = (checksum: unknown): boolean =>
  checksum === undefined || (isFields(checksum) && typeof checksum['value'] === 'string')

const isPlaced: IsShaped = ({ seq, at, owner }) => typeof seq === 'number' && typeof at === 'number' && isActor(owner)

/** Annotations, set with the version or later. `null`: removed. */
const hasAnnotations: IsShaped = ({ tags, acl, retention }) =>
  (tags === undefined || tags === null || Array.isArray(tags)) &&
  (acl === undefined || acl === null || (isFields(acl) && Array.isArray(acl['grants']))) &&
  (retention === undefined || retention === null || (isFields(retention) && typeof retention['until'] === 'number'))

const isVersion: IsShaped = (row) => {
  if (!isPlaced(row) || typeof row['nullVersion'] !== 'boolean') return false
  const { deleteMarker, size, etag, content, metadata, checksum } = row
  if (deleteMarker === true) return true
  const hasBytes = typeof size === 'number' && typeof etag === 'string' && isContent(content)
  return deleteMarker === false && hasBytes && isMetadata(metadata) && isChecksum(checksum) && hasAnnotations(row)
}

const isBucket: IsShaped = ({ owner, region, createdAt, incarnation, since }) =>
  isActor(owner) &&
  typeof region === 'string' &&
  typeof createdAt === 'number' &&
  typeof incarnation === 'number' &&
  typeof since === 'number'

const isAnnotation: IsShaped = (row) => typeof row['since'] === 'number' && hasAnnotations(row)

const isUpload: IsShaped = (row) =>
  isPlaced(row) &&
  isMetadata(row['metadata']) &&
  (row['initiator'] === undefined || isActor(row['initiator'])) &&
  hasAnnotations(row)

const isPart: IsShaped = ({ seq, size, etag, content, checksum, defaultChecksum }) =>
  typeof seq === 'number' &&
  typeof size === 'number' &&
  typeof etag === 'string' &&
  isContent(content) &&
  isChecksum(checksum) &&
  (defaultChecksum === undefined || typeof defaultChecksum === 'string')

const isKeyGeneration = (one: unknown): boolean =>
  isFields(one) &&
  typeof one['generation'] === 'number' &&
  typeof one['master'] === 'string' &&
  typeof one['wrapped'] === 'string'

const isPast =
  (isShaped: IsShaped): IsShaped =>
  (row) =>
    typeof row['until'] === 'number' && isShaped(row)

/** Indexed by the first byte of the key, as in `tables.ts`. */
const shapes: Readonly<Record<number, IsShaped>> = {
  0x01: ({ seq, at, hash, views }) =>
    typeof seq === 'number' && typeof at === 'number' && typeof hash === 'string' && typeof views === 'number',
  0x10: isBucket,
  0x11: isPast(isBucket),
  0x12: ({ kind, value }) => typeof kind === 'string' && value !== undefined,
  0x13: ({ bucket, incarnation }) => typeof bucket === 'string' && typeof incarnation === 'number',
  0x20: isVersion,
  0x21: isVersion,
  0x22: isPast(isVersion),
  0x23: ({ seq }) => typeof seq === 'number',
  0x24: isAnnotation,
  0x25: isPast(isAnnotation),
  0x30: isUpload,
  0x31: isPast(isUpload),
  0x32: isPart,
  0x33: ({ bucket, key, version }) =>
    typeof bucket === 'string' && typeof key === 'string' && typeof version === 'number',
  0x34: ({ partNumber, until }) => typeof partNumber === 'number' && typeof until === 'number',
  0x40: ({ versions }) => typeof versions === 'number',
  0x41: ({ at, content }) => typeof at === 'number' && isContent(content),
  0x42: ({ by, size }) => typeof by === 'number' && typeof size === 'number',
  0x43: ({ generations }) => Array.isArray(generations) && generations.every(isKeyGeneration),
}

/** A row of an unknown table may have any shape. */
export function isShaped(key: Uint8Array, row: object): boolean {
  const ask = shapes[key[0] ?? 0]
  return ask === undefined || ask(row as Fields)
}

/** Whether the rows of both keys must have the same shape. */
export const isSameShape = (a: Uint8Array, b: Uint8Array): boolean => shapes[a[0] ?? 0] === shapes[b[0] ?? 0]
