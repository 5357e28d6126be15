/** Docker's registry, which keeps its images in a bucket; skopeo pushes and pulls them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { freePort } from '../../support/free-port.ts'
import { treeRegion } from '../../support/tree-server.ts'
import { beside } from '../support/background.ts'
import { findProgram } from '../support/commands.ts'
import { sha256 } from '../support/material.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree } from '../support/tree.ts'

export const dockerRegistry: ClientSession = {
  name: 'Docker registry with skopeo',
  does: 'push an image with a layer of 20 MiB (in parts, copied in parts), inspect, pull it with the same digests, tag, delete, collect garbage, start anew',
  needs: '`regionendpoint`, `region`, `secure: false`',
  async find() {
    if (findProgram('skopeo') === undefined) return { absent: 'no skopeo' }
    return findClient({ name: 'docker-registry', version: ['--version'], pattern: / v?(\d[^\s+]*)/, run })
  },
}

const configuration = (scene: Scene, port: number) => `
version: 0.1
storage:
  s3:
    accesskey: ${scene.credentials.accessKeyId}
    secretkey: ${scene.credentials.secretAccessKey}
    region: ${treeRegion}
    regionendpoint: ${scene.endpoint}
    bucket: ${scene.bucket}
    secure: false
    rootdirectory: /of session
    chunksize: 5242880
    multipartcopychunksize: 5242880
    multipartcopythresholdsize: 5242880
  delete:
    enabled: true
http:
  addr: 127.0.0.1:${port}
`

async function run(scene: Scene, command: string): Promise<void> {
  await scene.makeBucket()
  const port = await freePort()
  const config = join(scene.dir, 'registry.yml')
  await writeFile(config, configuration(scene, port))
  const serve = { command, args: ['serve', config], env: scene.env, cwd: scene.dir, ready: () => answers(port) }
  const skopeo = async (...args: readonly string[]) =>
    (await scene.call('skopeo', ['--insecure-policy', ...args])).stdout.toString()
  const [image, pulled, again] = ['image', 'pulled', 'again'].map((name) => `oci:${join(scene.dir, name)}:session`)
  const stored = `docker://127.0.0.1:${port}/of/session`
  await makeImage(scene, join(scene.dir, 'image'))
  const layers = async (of: string, ...args: readonly string[]) =>
    (JSON.parse(await skopeo('inspect', ...args, of)) as { readonly Layers: readonly string[] }).Layers.join()
  const wanted = await layers(image!)

  await beside(serve, async () => {
    await skopeo('copy', '--dest-tls-verify=false', image!, `${stored}:first`)
    await skopeo('copy', '--src-tls-verify=false', '--dest-tls-verify=false', `${stored}:first`, `${stored}:second`)
    expect((await layers(`${stored}:second`, '--tls-verify=false')) === wanted, 'the image has the same layers')
    await skopeo('copy', '--src-tls-verify=false', `${stored}:second`, pulled!)
    expect((await layers(pulled!)) === wanted, 'the pulled image has the same layers')
  })
  const data = (await scene.keys()).filter((key) => key.endsWith('/data'))
  await Promise.any(data.map((key) => scene.inParts(key)))
  expect((await scene.unfinishedUploads()) === 0, 'no upload is left')

  await scene.call(command, ['garbage-collect', config])
  await beside(serve, async () => {
    await skopeo('copy', '--src-tls-verify=false', `${stored}:first`, again!)
    expect((await layers(again!)) === wanted, 'what is tagged outlives the collection of garbage')
    await skopeo('delete', '--tls-verify=false', `${stored}:first`)
  })
  await scene.call(command, ['garbage-collect', config])
  const left = (await scene.keys()).filter((key) => key.includes('/blobs/') && key.endsWith('/data'))
  expect(left.length === 0, `the blobs of the deleted image are gone: ${left.join()}`)
}

/** An image of one layer, as OCI lays images out. */
async function makeImage(scene: Scene, dir: string): Promise<void> {
  const blobs = join(dir, 'blobs', 'sha256')
  const [tree, tar] = [join(scene.dir, 'tree'), join(scene.dir, 'layer.tar')]
  await mkdir(blobs, { recursive: true })
  await plantTree(tree, scene.material)
  await scene.call('tar', ['-cf', tar, '-C', tree, '.'])
  const layer = await readFile(tar)
  const store = async (mediaType: string, body: Uint8Array) => {
    const hex = sha256(body)
    await writeFile(join(blobs, hex), body)
    return { mediaType, digest: `sha256:${hex}`, size: body.length }
  }
  const storeJson = (mediaType: string, value: object) => store(mediaType, Buffer.from(JSON.stringify(value)))
  const media = 'application/vnd.oci.image'
  const config = await storeJson(`${media}.config.v1+json`, {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
  })
  const manifest = await storeJson(`${media}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${media}.manifest.v1+json`,
    config,
    layers: [await store(`${media}.layer.v1.tar+gzip`, gzipSync(layer, { level: 1 }))],
  })
  const annotations = { 'org.opencontainers.image.ref.name': 'session' }
  await writeFile(join(dir, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  await writeFile(
    join(dir, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  )
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/v2/`)).ok
  } catch {
    return false
  }
}
