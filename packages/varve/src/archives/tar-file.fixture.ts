/** Takes tar files apart and puts them together, for archives that are not what they should be. */
import { createHash } from 'node:crypto'
import { blockBytes, paddedSize, tarHeader } from './tar-header.ts'
import { TarReader } from './tar-reader.ts'

export interface Member {
  readonly path: string
  readonly body: Buffer
}

export async function membersOf(bytes: Buffer): Promise<Member[]> {
  const tar = new TarReader(chunksOf(bytes))
  const members: Member[] = []
  do {
    const { path } = await tar.next()
    members.push({ path, body: Buffer.from(await tar.whole(bytes.length)) })
  } while (members.at(-1)?.path !== 'end.json')
  return members
}

/** In chunks of a size that fits no block. */
export async function* chunksOf(bytes: Buffer, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export function tarOf(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(({ path, body }) => [
    tarHeader({ path, size: body.length }, 0),
    body,
    Buffer.alloc(paddedSize(body.length) - body.length),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

/** As a forger would: the last member has the numbers and the digest of the others. */
export function sealed(members: readonly Member[], change: (end: Record<string, unknown>) => void = () => undefined) {
  const others = members.filter(({ path }) => path !== 'end.json')
  const end = JSON.parse(members.find(({ path }) => path === 'end.json')?.body.toString() ?? '{}') as Record<
    string,
    unknown
  >
  end['members'] = others.length
  const before = tarOf(others)
  end['sha256'] = createHash('sha256')
    .update(before.subarray(0, before.length - 2 * blockBytes))
    .digest('hex')
  change(end)
  return tarOf([...others, { path: 'end.json', body: Buffer.from(JSON.stringify(end)) }])
}

/** The same member with another document. */
export function redocumented({ path, body }: Member, change: (document: Record<string, unknown>) => void): Member {
  const document = JSON.parse(body.toString()) as Record<string, unknown>
  change(document)
  return { path, body: Buffer.from(JSON.stringify(document)) }
}
