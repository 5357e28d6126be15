/** Exercises that need an S3 server. Every answer is checked. */
import { type Bodies, bodiesFrom } from '../workloads/bodies.ts'
import { expectStatus, type S3Client } from '../http/s3-client.ts'
import { rowName } from '../targets/raw-level.ts'
import { bucket } from '../targets/store-target.ts'
import type { WireName, WireWorkload } from '../workloads/workload.ts'
import { type Exercise, inFlight, WrongAnswer } from './exercise.ts'
import { allVersionPages, listVersions, type VersionsPage } from './wire-versions.ts'
import { completeUpload, type StartedUpload, uploadParts } from './wire-upload.ts'

interface Wired {
  readonly client: S3Client
  readonly workload: WireWorkload
  readonly bodies: Bodies
}

const versionsOfKey = 10

const exercises: Record<WireName, (wired: Wired) => Exercise> = {
  'http-list-versions'({ client, workload: { items }, bodies }) {
    let pages: readonly VersionsPage[] = []
    return {
      async before() {
        if (pages.length > 0) return
        await fillVersions(client, Math.ceil(items / versionsOfKey), bodies)
        pages = await allVersionPages(client)
        const all = pages.reduce((sum, { count }) => sum + count, 0)
        if (all !== Math.ceil(items / versionsOfKey) * versionsOfKey)
          throw new WrongAnswer(`There are ${all} versions.`)
      },
      async operate(_, index) {
        const { query, count: expected } = pages[index % pages.length] as VersionsPage
        const { count } = await listVersions(client, query)
        if (count !== expected) throw new WrongAnswer(`A page of ${expected} versions has ${count} now.`)
        return { units: count }
      },
      close: async () => client.close(),
    }
  },

  'http-multipart'({ client, workload, bodies }) {
    const size = workload.items * workload.bytes
    return {
      async operate(_, index) {
        const key = `upload-${index}`
        await completeUpload(client, await uploadParts(client, key, workload, bodies))
        await expectSize(client, key, size)
        return { units: size, put: size }
      },
      close: async () => client.close(),
    }
  },

  'http-complete-upload'({ client, workload, bodies }) {
    let ready: StartedUpload[] = []
    return {
      async before() {
        ready = []
        for (let i = 0; i < workload.operations; i++) {
          ready.push(await uploadParts(client, `upload-${i}`, workload, bodies))
        }
      },
      async operate(_, index) {
        const upload = ready[index] as StartedUpload
        const began = performance.now()
        await completeUpload(client, upload)
        const countedMs = performance.now() - began
        await expectSize(client, upload.key, workload.items * workload.bytes)
        return { units: 1, countedMs }
      },
      close: async () => client.close(),
    }
  },
}

export const wireExercise = (client: S3Client, workload: WireWorkload, seed: number): Exercise =>
  exercises[workload.wire]({ client, workload, bodies: bodiesFrom(seed, [{ bytes: workload.bytes, weight: 1 }]) })

async function fillVersions(client: S3Client, keys: number, bodies: Bodies): Promise<void> {
  const body = Buffer.from('<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>')
  expectStatus(await client.ask({ method: 'PUT', path: `/${bucket}`, query: 'versioning=', body }), 200)
  for (let version = 0; version < versionsOfKey; version++) {
    await inFlight(16, keys, async (i) => {
      const path = `/${bucket}/${rowName(i, keys)}`
      expectStatus(await client.ask({ method: 'PUT', path, body: bodies.of(i, version) }), 200)
    })
  }
}

async function expectSize(client: S3Client, key: string, expected: number): Promise<void> {
  const answer = expectStatus(await client.ask({ method: 'HEAD', path: `/${bucket}/${key}` }), 200)
  const size = Number(answer.headers.get('content-length'))
  if (size !== expected) throw new WrongAnswer(`${key} has ${size} bytes, its parts ${expected}.`)
}
