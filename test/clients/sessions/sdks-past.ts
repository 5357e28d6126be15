/** The SDKs that look back, each with the program that plays the session in its language. */
import { join } from 'node:path'
import { clientsDirectory, isExecutable } from '../support/commands.ts'
import { goProgram, moduleVersion, notInstalled, versionOf } from '../support/installed.ts'
import { type PastProgram, runPastSdk, whatLooksBack } from '../support/past-session.ts'
import { programFile } from '../support/sdk-session.ts'
import type { ClientSession, Found } from '../support/session.ts'

const boto3: ClientSession = {
  name: 'boto3, the past',
  does: whatLooksBack,
  needs: 'as boto3',
  async find() {
    const command = join(clientsDirectory(), 'py-new', 'bin', 'python')
    if (!isExecutable(command)) return notInstalled
    const version = await versionOf(command, [programFile('boto3-session.py'), 'version'])
    return sdk(version, { command, args: [programFile('boto3-past.py')], longest: 87 })
  },
}

const javaScript: ClientSession = {
  name: 'AWS SDK for JavaScript v3, the past',
  does: whatLooksBack,
  needs: 'as the SDK',
  async find() {
    const modules = join(clientsDirectory(), 'js-new')
    const version = await moduleVersion(modules, '@aws-sdk/client-s3')
    if (version === undefined) return notInstalled
    const args = [programFile('aws-sdk-js-past.cjs')]
    return sdk(version, { command: process.execPath, args, env: { VARVE_MODULES: modules }, longest: 87 })
  },
}

const minioGo: ClientSession = {
  name: 'minio-go, the past',
  does: whatLooksBack,
  needs: 'an endpoint without a scheme, and the region; names of at most 63 characters',
  async find() {
    const command = await goProgram('minio-go', 'minio-go-past.go')
    if (command === undefined) return notInstalled
    return sdk(await versionOf(command, ['version']), { command, args: [], longest: 63 })
  },
}

export const pastSdkSessions: readonly ClientSession[] = [boto3, javaScript, minioGo]

function sdk(version: string, program: PastProgram): Found {
  return { version, run: (scene) => runPastSdk(scene, program) }
}
