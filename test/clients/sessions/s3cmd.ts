import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeRegion } from '../../support/tree-server.ts'
import { sameBytes, sameFile } from '../support/material.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const s3cmd: ClientSession = {
  name: 's3cmd',
  does: 'mb, put (20 MiB in parts), get, info, cp, mv, ls, sync both ways with odd names, public and private ACLs, signurl, multipart list, del, rb',
  needs:
    '`host_base`, `host_bucket` without `%(bucket)s` for path style, `use_https = False`; `--acl-private` to copy in buckets without lists',
  find: () => findClient({ name: 's3cmd', version: ['--version'], pattern: /^s3cmd version (\S+)/, run }),
}

async function run(scene: Scene, command: string): Promise<void> {
  const { small, large } = scene.material
  const { accessKeyId, secretAccessKey } = scene.credentials
  const host = `127.0.0.1:${scene.port}`
  const configuration = join(scene.dir, 's3cfg')
  const lines = [`access_key = ${accessKeyId}`, `secret_key = ${secretAccessKey}`, `host_base = ${host}`]
  const more = [`host_bucket = ${host}`, `bucket_location = ${treeRegion}`, 'use_https = False', 'signature_v2 = False']
  await writeFile(configuration, ['[default]', ...lines, ...more, ''].join('\n'))
  const s3cmd = async (...args: readonly string[]) =>
    (await scene.call(command, ['-c', configuration, '--no-progress', ...args])).stdout.toString()
  const at = `s3://${scene.bucket}`

  await s3cmd('mb', at)
  await s3cmd('put', '--multipart-chunk-size-mb=8', large, `${at}/large`)
  await s3cmd('put', '--add-header=x-amz-meta-colour:green', small, `${at}/small`)
  await scene.stored('large', large)
  await scene.inParts('large')
  await s3cmd('get', `${at}/large`, 'back')
  await sameFile(join(scene.dir, 'back'), large)
  expect(/colour: +green/.test(await s3cmd('info', `${at}/small`)), 'info shows metadata')
  await s3cmd('cp', '--acl-private', `${at}/small`, `${at}/copy`)
  await s3cmd('mv', '--acl-private', `${at}/copy`, `${at}/moved`)
  await scene.stored('moved', small)
  await scene.enableLists()
  await s3cmd('cp', `${at}/small`, `${at}/with-list`)
  await s3cmd('setacl', '--acl-public', `${at}/small`)
  expect(/ACL: +\*anon\*: READ/.test(await s3cmd('info', `${at}/small`)), 'info shows the ACL')
  sameBytes(await scene.fetch(`${scene.endpoint}/${scene.bucket}/small`), await readFile(small), 'what anyone may read')
  await s3cmd('setacl', '--acl-private', `${at}/small`)
  const url = (await s3cmd('signurl', `${at}/small`, '+600')).trim()
  if (url.includes('X-Amz-Signature')) sameBytes(await scene.fetch(url), await readFile(small), 'the signed address')

  const [here, tree] = [join(scene.dir, 'tree'), join(scene.dir, 'tree-back')]
  await plantTree(here, scene.material)
  await s3cmd('sync', `${here}/`, `${at}/tree/`)
  await s3cmd('sync', `${at}/tree/`, `${tree}/`)
  await sameTree(tree, here)
  expect((await s3cmd('ls', '--recursive', at)).includes('/tree/日本語/🪨\n'), 'ls lists odd names')
  expect(!(await s3cmd('multipart', at)).includes('large'), 'no upload is left behind')
  await s3cmd('del', '--recursive', '--force', at)
  await s3cmd('rb', at)
}
