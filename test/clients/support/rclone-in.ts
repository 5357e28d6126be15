/** rclone with the configuration of a scene: `v:` is its server. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeRegion } from '../../support/tree-server.ts'
import type { Called } from './commands.ts'
import type { Scene } from './scene.ts'

export type Rclone = (args: readonly string[], statuses?: readonly number[]) => Promise<Called>

export async function rcloneIn(scene: Scene, command: string): Promise<Rclone> {
  const { accessKeyId, secretAccessKey } = scene.credentials
  const env = {
    RCLONE_CONFIG: join(scene.dir, 'rclone.conf'),
    RCLONE_CONFIG_V_TYPE: 's3',
    RCLONE_CONFIG_V_PROVIDER: 'Other',
    RCLONE_CONFIG_V_ENDPOINT: scene.endpoint,
    RCLONE_CONFIG_V_REGION: treeRegion,
    RCLONE_CONFIG_V_ACCESS_KEY_ID: accessKeyId,
    RCLONE_CONFIG_V_SECRET_ACCESS_KEY: secretAccessKey,
  }
  await writeFile(env.RCLONE_CONFIG, '')
  return (args, statuses = [0]) =>
    scene.call(command, ['--s3-upload-cutoff', '8M', '--retries', '1', ...args], { env, statuses })
}
