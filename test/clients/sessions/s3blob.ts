/** Go CDK's s3blob, with the program that plays the session. */
import { goProgram, notInstalled, versionOf } from '../support/installed.ts'
import type { ClientSession } from '../support/session.ts'

export const s3blob: ClientSession = {
  name: "Go CDK's s3blob",
  does: 'write and read 20 MiB in parts, a range, headers and metadata, odd keys listed in pages, copy, delete, a presigned GET; creation refused the second time, in parts too',
  needs: '`endpoint`, `region`, `use_path_style`',
  async find() {
    const command = await goProgram('s3blob', 's3blob-session.go')
    if (command === undefined) return notInstalled
    return {
      version: await versionOf(command, ['version']),
      async run(scene) {
        await scene.makeBucket()
        const { small, large } = scene.material
        await scene.call(command, [], {
          env: { VARVE_BUCKET: scene.bucket, VARVE_SMALL: small, VARVE_LARGE: large },
        })
        await scene.stored('large', large)
        await scene.inParts('large')
      },
    }
  },
}
