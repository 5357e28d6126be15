/** Encrypted objects where no key is available: in migrations, repairs and salvages. */
import { createHash } from 'node:crypto'
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EncryptionRequest } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { createKeyring, migrateStore, openStore, repairStore, salvageStore, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const keyOf = (name: string) => createHash('sha256').update(name).digest()
const keyring = createKeyring({
  master: [keyOf('master').toString('base64')],
  keys: { payroll: [keyOf('payroll').toString('base64')] },
})
const customerKey = new Uint8Array(keyOf('customer'))
const modes: Readonly<Record<string, EncryptionRequest>> = {
  own: { mode: 'AES256' },
  named: { mode: 'aws:kms:dsse', keyName: 'payroll' },
  brought: { mode: 'SSE-C', key: customerKey },
}
const sizes = [700, 200_000, 1_400_000]
const bodyOf = (size: number) => Buffer.alloc(size, `${size} `)

async function lived(dir: string): Promise<void> {
  const store = await openStore(dir, { keyring, layout: 'level+files' })
  await store.buckets.create('box')
  for (const [name, encryption] of Object.entries(modes)) {
    for (const size of sizes) await store.objects.put('box', `${name} ${size}`, bodyOf(size), { encryption })
  }
  await store.close()
}

/** Everything is readable with the keys. */
async function expectWhole(dir: string): Promise<void> {
  const store = await openStore(dir, { keyring })
  for (const name of Object.keys(modes)) {
    for (const size of sizes) {
      const object = await store.objects.get('box', `${name} ${size}`, name === 'brought' ? { customerKey } : {})
      expect(Buffer.from(await object.bytes()).equals(bodyOf(size))).toBe(true)
    }
  }
  await store.close()
}

describe('what is encrypted', () => {
  it('moves to another layout as it is, and is checked there, without a key', async () => {
    const dir = scratch.next()
    await lived(dir)
    await migrateStore(dir, 'segments+tiered')
    expect((await verifyStore(dir)).divergences).toEqual([])
    await expectWhole(dir)
  })

  it('is repaired and saved without a key', async () => {
    const dir = scratch.next()
    await lived(dir)
    const tables = (await readdir(join(dir, 'events'))).filter((name) => /\.(ldb|log)$/.test(name))
    await appendFile(join(dir, 'events', tables[0] as string), 'damage')
    await repairStore(dir)
    expect((await verifyStore(dir)).divergences).toEqual([])
    await expectWhole(dir)
    const saved = scratch.next()
    await salvageStore(dir, saved)
    await expectWhole(saved)
  })
})
