/** No link of another user is followed in a store's directory, whatever part it stands for and whichever way the directory is opened. */
import { cp, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDirectoryReplica } from '../replica/directory-replica.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { inspectStoreDirectory } from '../store-directory/inspect-store-directory.ts'
import { openReadOnlyDirectory } from '../store-directory/open-read-only-directory.ts'
import { openStoreDirectory } from '../store-directory/open-store-directory.ts'
import { machineFileSystem, nodeFileSystem } from './node-file-system.ts'
import { assertOwnLinks } from './own-links.ts'

const scratch = scratchDirectory()
afterEach(() => vi.restoreAllMocks())

const directories = [
  'tmp',
  'scratch',
  'quarantine',
  'blobs',
  'segments',
  'events',
  'control',
  'access-keys',
  'migrating',
  'webhooks',
]
const files = `
  filling.json keyring.json secret.json log-key.json root-credentials.json scrubbed scrubbed.tmp
  time witness seal checked FORMAT FORMAT.tmp lock a-part-of-tomorrow`
  .trim()
  .split(/\s+/)
const below = `
  blobs/ab tmp/x events/CURRENT events/LOCK events/data.mdb events/0000000000000001.log events/repaired
  events/repaired/CURRENT segments/0000000000000001.seg access-keys/a.json control/socket control/elsewhere
  migrating/blobs migrating/events/CURRENT migrating/blobs/ab quarantine/x webhooks/a.json`
  .trim()
  .split(/\s+/)

/** Opens in each way that there is, and closes again. */
const ways: Readonly<Record<string, (dir: string) => Promise<unknown>>> = {
  'to be used': async (dir) => (await openStoreDirectory(dir)).close(),
  'to be read': async (dir) => (await openReadOnlyDirectory(dir)).close(),
  'to be inspected': async (dir) => (await inspectStoreDirectory(dir)).close(),
  'to be repaired': async (dir) => (await inspectStoreDirectory(dir, { finishRepair: true, repairCopy: true })).close(),
  'to be inspected as it is': async (dir) =>
    (await inspectStoreDirectory(dir, { readOnly: true, scratch: scratch.next() })).close(),
}

async function store(): Promise<string> {
  const path = scratch.next()
  const made = await openStoreDirectory(path)
  await made.markReady()
  made.markSound()
  await made.close()
  return path
}

/** What is of use elsewhere: names that a store would remove, replace or read. */
async function elsewhere(): Promise<string> {
  const path = scratch.next()
  await mkdir(join(path, 'sub'), { recursive: true })
  for (const name of ['a', 'b.tmp', '0123456789abcdef0123456789abcdef', 'sub/x'])
    await writeFile(join(path, name), 'precious')
  return path
}

async function contentOf(path: string): Promise<unknown> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return `-> ${await readlink(path)}`
  if (!found.isDirectory()) return `${found.mode} ${(await readFile(path)).toString('base64')}`
  const names = (await readdir(path)).sort()
  return Promise.all(names.map(async (name) => [name, await contentOf(join(path, name))]))
}

async function linked(dir: string, part: string, target: string): Promise<string> {
  const path = join(dir, part)
  await rm(path, { recursive: true, force: true })
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
  return path
}

interface Users {
  readonly owner: number
  readonly link: number
}

/** The file system says that these users made the directories and the links. */
function madeBy({ owner, link }: Users): void {
  const entries = machineFileSystem.entries
  const reported = async (path: string) => ({
    uid: owner,
    entries: (await entries(path)).entries.map((entry) => (entry.kind === 'link' ? { ...entry, uid: link } : entry)),
  })
  for (const fs of [machineFileSystem, nodeFileSystem]) vi.spyOn(fs, 'entries').mockImplementation(reported)
}

const self = process.geteuid?.() ?? 0
const other = self + 1
const refusal = (path: string) => ({
  code: 'InvalidArgument',
  message: expect.stringContaining(path) as string,
  details: { kind: 'link', ArgumentName: 'dir' },
})

describe.skipIf(process.platform === 'win32')('A link', () => {
  const parts: [string, boolean][] = [
    ...directories.map((part): [string, boolean] => [part, true]),
    ...files.map((part): [string, boolean] => [part, false]),
    ...below.map((part): [string, boolean] => [part, !/[./][a-zA-Z]+$/.test(part)]),
  ]

  it.each(parts)('of another user in the place of %s is refused, and nothing is touched', async (part, isDirectory) => {
    const [dir, victim] = [await store(), await elsewhere()]
    const path = await linked(dir, part, isDirectory ? victim : join(victim, 'a'))
    const before = [await contentOf(dir), await contentOf(victim)]
    madeBy({ owner: self, link: other })
    for (const [way, open] of Object.entries(ways)) await expect(open(dir), way).rejects.toMatchObject(refusal(path))
    expect([await contentOf(dir), await contentOf(victim)]).toEqual(before)
  })

  it.each<Users>([
    { owner: other, link: other },
    { owner: other, link: self },
    { owner: self, link: other },
  ])('is refused unless directory, link and process are of one user: %o', async (users) => {
    const [dir, victim] = [await store(), await elsewhere()]
    const path = await linked(dir, 'tmp', victim)
    madeBy(users)
    for (const open of Object.values(ways)) await expect(open(dir)).rejects.toMatchObject(refusal(path))
  })

  it('that leads nowhere is refused as well', async () => {
    const dir = await store()
    const path = await linked(dir, 'quarantine', join(scratch.next(), 'nothing'))
    madeBy({ owner: self, link: other })
    for (const open of Object.values(ways)) await expect(open(dir)).rejects.toMatchObject(refusal(path))
  })

  it.each(['tmp', 'blobs', 'replica', 'replica/a', 'blobs/ab'])('is refused in a replica, as %s', async (part) => {
    const [dir, victim] = [scratch.next(), await elsewhere()]
    await openDirectoryReplica(dir)
    const path = await linked(dir, part, victim)
    const before = await contentOf(victim)
    madeBy({ owner: self, link: other })
    await expect(openDirectoryReplica(dir)).rejects.toMatchObject(refusal(path))
    expect(await contentOf(victim)).toEqual(before)
  })

  it.each(['blobs', 'events'])('of the owner, who runs the process, is followed: %s on another disk', async (part) => {
    const [dir, disk] = [await store(), scratch.next()]
    await rename(join(dir, part), disk)
    await symlink(disk, join(dir, part))
    for (const [way, open] of Object.entries(ways)) await expect(open(dir), way).resolves.toBeUndefined()
  })

  it('behind a link of the owner is refused if another user made it', async () => {
    const [dir, disk] = [await store(), await elsewhere()]
    await linked(dir, 'blobs', disk)
    await symlink(disk, join(disk, 'ab'))
    const { entries } = machineFileSystem
    const fs = {
      entries: async (path: string) => {
        const found = await entries(path)
        const isMoved = path.endsWith('blobs')
        return {
          ...found,
          entries: found.entries.map((each) => (isMoved && each.kind === 'link' ? { ...each, uid: other } : each)),
        }
      },
    }
    await expect(assertOwnLinks(dir, fs)).rejects.toMatchObject(refusal(join(dir, 'blobs', 'ab')))
  })

  it('of an inspection that was killed is not refused', async () => {
    const dir = await store()
    await mkdir(join(dir, 'scratch'))
    await symlink(join(dir, 'events', 'CURRENT'), join(dir, 'scratch', 'CURRENT'))
    madeBy({ owner: self, link: other })
    await expect(ways['to be used']?.(dir)).resolves.toBeUndefined()
  })

  it('in a copy of the directory is refused where the copy has it', async () => {
    const [dir, victim, copy] = [await store(), await elsewhere(), scratch.next()]
    await linked(dir, 'tmp', victim)
    await cp(dir, copy, { recursive: true, verbatimSymlinks: true })
    madeBy({ owner: self, link: other })
    await expect(ways['to be used']?.(copy)).rejects.toMatchObject(refusal(join(copy, 'tmp')))
  })
})
