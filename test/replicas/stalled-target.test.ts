import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'varve'
import { afterEach, beforeEach, expect, it } from 'vitest'

let directory: string
let server: Server
const sockets = new Set<Socket>()

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-stalled-'))
  // It accepts connections, and never answers.
  server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  await rm(directory, { recursive: true, force: true })
})

it('a replica whose server never answers delays neither writes nor, for long, the end of the store', async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
  const endpoint = encodeURIComponent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const store = await openStore(join(directory, 'store'), {
    replicas: [{ to: `s3://bucket/copy?region=eu&endpoint=${endpoint}` }],
  })
  await store.buckets.create('box')
  for (let n = 0; n < 20; n++) await store.objects.put('box', `key${n}`, 'text')
  const before = performance.now()
  await store.close()
  expect(performance.now() - before).toBeLessThan(20_000)
}, 60_000)
