/**
 * Reads the pages of an LMDB file (mdb.c: MDB_page, MDB_node, MDB_meta) without LMDB, which trusts them and ends the
 * process if a page is invalid. This reader reports an invalid page and skips it.
 */
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { readUpTo } from '../files/read-up-to.ts'

const headerLength = 24
const nodeHeaderLength = 8
const metaLength = 168
const magic = 0xbeefc0de
const dataVersion = 2
const kinds = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const
const onOverflowPages = 0x01
const noPage = 0xffffffffffffffffn
/** Greater than the depth of any tree whose pages hold two keys. */
const depthMax = 40

export interface LmdbNode {
  readonly key: Uint8Array
  value(): Promise<Uint8Array>
}

/** Called with each damage that is found; most callers need only the first. */
export type OnDamage = (message: string) => void

interface Meta {
  readonly pageSize: number
  readonly roots: readonly bigint[]
  readonly transaction: bigint
}

export class LmdbPages {
  readonly #file: OpenFile
  readonly #size: number
  readonly #meta: Meta
  readonly #onDamage: OnDamage
  #visits = 0

  private constructor(file: OpenFile, size: number, meta: Meta, onDamage: OnDamage) {
    this.#file = file
    this.#size = size
    this.#meta = meta
    this.#onDamage = onDamage
  }

  /** `undefined`, with a report of the damage, when neither of the first two pages leads to the rest. */
  static async of(file: OpenFile, onDamage: OnDamage): Promise<LmdbPages | undefined> {
    const { size } = await file.stat()
    const first = metaIn(await readUpTo(file, 0, metaLength))
    const second = first && metaIn(await readUpTo(file, first.pageSize, metaLength))
    // LMDB opens no file without both, although only the newer one counts.
    if (first === undefined || second === undefined) onDamage('it does not begin as one of LMDB does')
    const meta = second !== undefined && second.transaction > (first as Meta).transaction ? second : first
    return meta && new LmdbPages(file, size, meta, onDamage)
  }

  /** The nodes of the tree that holds the data, in order, or of the tree that lists free pages. */
  nodes(tree: 'kept' | 'free'): AsyncGenerator<LmdbNode> {
    return this.#nodesBelow(this.#meta.roots[tree === 'kept' ? 1 : 0] ?? noPage, 0)
  }

  async *#nodesBelow(number: bigint, depth: number): AsyncGenerator<LmdbNode> {
    if (number === noPage) return
    const page = depth < depthMax && this.#visits++ < this.#size ? await this.#page(number) : undefined
    if (page === undefined) {
      this.#onDamage(`page ${number} is not what it should be`)
      return
    }
    const view = viewOf(page)
    for (let i = 0; i < view.getUint16(20, true) >> 1; i++) {
      const at = headerLength + view.getUint16(headerLength + 2 * i, true)
      if (kindOf(view) === kinds.branch) yield* this.#nodesBelow(childAt(view, at), depth + 1)
      else yield { key: keyAt(page, at), value: () => this.#valueAt(page, at) }
    }
  }

  /** `undefined` unless it is a page of a tree whose nodes lie within it, and whose long values lie within the file. */
  async #page(number: bigint): Promise<Uint8Array | undefined> {
    const page = await this.#read(number, 1)
    if (page === undefined) return undefined
    const view = viewOf(page)
    const kind = kindOf(view)
    const [lower, upper] = [view.getUint16(20, true), view.getUint16(22, true)]
    const known = kind === kinds.branch || kind === kinds.leaf
    if (!known || view.getBigUint64(0, true) !== number) return undefined
    if (lower % 2 !== 0 || lower > upper || headerLength + upper > page.length) return undefined
    for (let i = 0; i < lower >> 1; i++) {
      const offset = view.getUint16(headerLength + 2 * i, true)
      if (offset < upper || !(await this.#isNode(view, headerLength + offset, kind))) return undefined
    }
    return page
  }

  async #isNode(view: DataView, at: number, kind: number): Promise<boolean> {
    if (at + nodeHeaderLength > view.byteLength) return false
    const end = at + nodeHeaderLength + view.getUint16(at + 6, true)
    if (kind === kinds.branch) return end <= view.byteLength
    const flags = view.getUint16(at + 4, true)
    if (flags === 0) return end + valueLengthAt(view, at) <= view.byteLength
    return flags === onOverflowPages && end + 24 <= view.byteLength && (await this.#isLongValue(view, at, end))
  }

  async #isLongValue(view: DataView, at: number, end: number): Promise<boolean> {
    const number = view.getBigUint64(end, true)
    const pages = view.getBigUint64(end + 16, true)
    const header = await this.#read(number, pages, headerLength)
    if (header === undefined) return false
    const found = viewOf(header)
    const isFirst = found.getBigUint64(0, true) === number && kindOf(found) === kinds.overflow
    return isFirst && BigInt(headerLength + valueLengthAt(view, at)) <= pages * BigInt(this.#meta.pageSize)
  }

  async #valueAt(page: Uint8Array, at: number): Promise<Uint8Array> {
    const view = viewOf(page)
    const start = at + nodeHeaderLength + view.getUint16(at + 6, true)
    const length = valueLengthAt(view, at)
    if (view.getUint16(at + 4, true) !== onOverflowPages) return page.subarray(start, start + length)
    const position = Number(view.getBigUint64(start, true)) * this.#meta.pageSize + headerLength
    return readUpTo(this.#file, position, length)
  }

  /** The beginning of a run of `pages` pages, or `undefined` if they do not lie within the file. */
  async #read(number: bigint, pages: number | bigint, length = this.#meta.pageSize): Promise<Uint8Array | undefined> {
    const end = (number + BigInt(pages)) * BigInt(this.#meta.pageSize)
    if (number < 2n || end > BigInt(this.#size)) return undefined
    const bytes = await readUpTo(this.#file, Number(number) * this.#meta.pageSize, length)
    return bytes.length === length ? bytes : undefined
  }
}

/** Describes the damage in a file of LMDB, if there is any: LMDB may only be given a file without damage. */
export async function lmdbComplaint(fs: FileSystem, path: string): Promise<string | undefined> {
  const file = await fs.open(path, 'r')
  try {
    let complaint: string | undefined
    const pages = await LmdbPages.of(file, (message) => {
      complaint ??= message
    })
    for (const tree of ['free', 'kept'] as const) {
      for await (const _ of pages?.nodes(tree) ?? []) if (complaint !== undefined) return complaint
    }
    return complaint
  } finally {
    await file.close()
  }
}

function metaIn(bytes: Uint8Array): Meta | undefined {
  if (bytes.length < metaLength) return undefined
  const view = viewOf(bytes)
  const version = view.getUint32(28, true) & 0xffff
  if (kindOf(view) !== kinds.meta || view.getUint32(24, true) !== magic || version !== dataVersion) {
    return undefined
  }
  const pageSize = view.getUint32(48, true)
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return undefined
  return {
    pageSize,
    roots: [view.getBigUint64(88, true), view.getBigUint64(136, true)],
    transaction: view.getBigUint64(152, true),
  }
}

/** The other flags do not describe the content of the page. */
const kindOf = (page: DataView): number => page.getUint16(18, true) & 0x6f

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

const keyAt = (page: Uint8Array, at: number): Uint8Array =>
  page.subarray(at + nodeHeaderLength, at + nodeHeaderLength + viewOf(page).getUint16(at + 6, true))

const valueLengthAt = (view: DataView, at: number): number => view.getUint32(at, true)

/** A page number has six bytes; the last two are where a leaf stores its flags. */
const childAt = (view: DataView, at: number): bigint =>
  BigInt(view.getUint32(at, true)) | (BigInt(view.getUint16(at + 4, true)) << 32n)
