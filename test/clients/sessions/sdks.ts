/** The SDKs, each with the program that plays the session in its language. */
import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { oddKeys } from '../../acceptance/clients/odd-keys.ts'
import { call, clientsDirectory, findProgram, isExecutable } from '../support/commands.ts'
import { goProgram, moduleVersion, notInstalled, versionOf } from '../support/installed.ts'
import { programFile, runSdk, type SdkProgram, whatSdksDo } from '../support/sdk-session.ts'
import type { ClientSession, Found } from '../support/session.ts'

const byPath = 'endpoint and path style'
const byHost = 'endpoint; buckets by host name, as is its default'

function javaScript(name: string, folder: string, style: 'hosts' | 'paths'): ClientSession {
  return {
    name,
    does: whatSdksDo,
    needs: style === 'hosts' ? byHost : '`forcePathStyle: true`',
    async find() {
      const modules = join(clientsDirectory(), folder)
      const version = await moduleVersion(modules, '@aws-sdk/client-s3')
      if (version === undefined) return notInstalled
      const args = [programFile('aws-sdk-js-session.cjs')]
      return sdk(version, { command: process.execPath, args, env: { VARVE_MODULES: modules, VARVE_STYLE: style } })
    },
  }
}

function boto3(name: string, folder: string): ClientSession {
  return {
    name,
    does: whatSdksDo,
    needs: '`addressing_style: virtual`, or nothing but the endpoint for path style',
    async find() {
      const command = join(clientsDirectory(), folder, 'bin', 'python')
      const program = programFile('boto3-session.py')
      if (!isExecutable(command)) return notInstalled
      return sdk(await versionOf(command, [program, 'version']), { command, args: [program] })
    },
  }
}

const minioJs: ClientSession = {
  name: 'minio-js',
  does: `${whatSdksDo}, without conditions, which it has not`,
  needs: '`endPoint`, `port`, `useSSL`',
  async find() {
    const modules = join(clientsDirectory(), 'js-new')
    const version = await moduleVersion(modules, 'minio')
    if (version === undefined) return notInstalled
    const args = [programFile('minio-js-session.cjs')]
    // It makes of keys paths, and of a name that ends with a slash or is made of dots something else.
    const unsendable = oddKeys.filter((key) => /(^|\/)\.{0,2}(\/|$)/.test(key))
    return sdk(version, {
      command: process.execPath,
      args,
      env: { VARVE_MODULES: modules },
      conditions: false,
      unsendable,
    })
  },
}

const go: ClientSession = {
  name: 'AWS SDK for Go v2',
  does: whatSdksDo,
  needs: byHost,
  async find() {
    const command = await goProgram('go-sdk', 'aws-sdk-go-session.go')
    return command === undefined ? notInstalled : sdk(await versionOf(command, ['version']), { command, args: [] })
  },
}

const java: ClientSession = {
  name: 'AWS SDK for Java v2',
  does: whatSdksDo,
  needs: byPath,
  async find() {
    const libraries = join(clientsDirectory(), 'java-sdk', 'lib')
    const command = findProgram('java')
    if (!existsSync(libraries) || command === undefined) return notInstalled
    const args = ['-cp', join(libraries, '*'), programFile('AwsSdkSession.java')]
    return sdk(await versionOf(command, [...args, 'version']), { command, args })
  },
}

const rust: ClientSession = {
  name: 'AWS SDK for Rust',
  does: whatSdksDo,
  needs: byPath,
  async find() {
    const dir = join(clientsDirectory(), 'rust-sdk')
    if (!existsSync(join(dir, 'Cargo.lock')) || findProgram('cargo') === undefined) return notInstalled
    await copyFile(programFile('aws_sdk_rust_session.rs'), join(dir, 'src', 'main.rs'))
    await call('cargo', ['build', '--offline', '--quiet', '--jobs', '1'], { cwd: dir })
    const command = join(dir, 'target', 'debug', 'session')
    return sdk(await versionOf(command, ['version']), { command, args: [] })
  },
}

export const sdkSessions: readonly ClientSession[] = [
  javaScript('AWS SDK for JavaScript v3', 'js-new', 'hosts'),
  javaScript('AWS SDK for JavaScript v3, a year older', 'js-old', 'paths'),
  boto3('boto3', 'py-new'),
  boto3('boto3, old', 'py-old'),
  go,
  java,
  rust,
  minioJs,
]

function sdk(version: string, program: SdkProgram): Found {
  return { version, run: (scene) => runSdk(scene, program) }
}
