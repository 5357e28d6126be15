import { lchown, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { ensureOwnKeys } from './own-keyring.ts'

const scratch = scratchDirectory()

// Only root can make a link of another user.
it.runIf(process.geteuid?.() === 0)('makes no keyring in a directory with a link of another user', async () => {
  const [dir, victim] = [scratch.next(), scratch.next()]
  await (await openStore(dir)).close()
  const before = await readdir(dir)
  await mkdir(victim)
  await symlink(victim, join(dir, 'access-keys'))
  await lchown(join(dir, 'access-keys'), 12345, 12345)
  const refusal = { code: 'InvalidArgument', details: { kind: 'link' } }
  await expect(ensureOwnKeys(dir)).rejects.toMatchObject(refusal)
  for (const readOnly of [false, true]) await expect(openStore(dir, { readOnly })).rejects.toMatchObject(refusal)
  expect((await readdir(dir)).filter((name) => name !== 'access-keys')).toEqual(before)
  expect(await readdir(victim)).toEqual([])
})
