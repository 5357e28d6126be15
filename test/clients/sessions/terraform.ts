/** Terraform's (or OpenTofu's) S3 backend, whose lock is an object that is put if there is none. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeRegion } from '../../support/tree-server.ts'
import { findProgram } from '../support/commands.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'

export const terraform: ClientSession = {
  name: "Terraform's S3 backend",
  does: 'init, apply, state in the bucket, two applies at once of which one is refused by the lock, the lock released, state pull, a stale lock refused and forced open, destroy',
  needs:
    '`endpoints.s3`, `use_path_style`, `use_lockfile`, `skip_credentials_validation`, `skip_requesting_account_id`, `skip_region_validation`, `skip_metadata_api_check`',
  find: () => {
    const name = findProgram('terraform') === undefined ? 'tofu' : 'terraform'
    return findClient({ name, version: ['version'], pattern: /^(?:Terraform|OpenTofu) v(\S+)/, run })
  },
}

const configuration = (scene: Scene) => `
terraform {
  backend "s3" {
    bucket                      = "${scene.bucket}"
    key                         = "states/of session.tfstate"
    region                      = "${treeRegion}"
    endpoints                   = { s3 = "${scene.endpoint}" }
    use_path_style              = true
    use_lockfile                = true
    skip_credentials_validation = true
    skip_requesting_account_id  = true
    skip_region_validation      = true
    skip_metadata_api_check     = true
  }
}

variable "input" {
  default = "first"
}

variable "seconds" {
  default = 0
}

resource "terraform_data" "one" {
  input            = var.input
  triggers_replace = var.input
  provisioner "local-exec" {
    command = "sleep \${var.seconds}"
  }
}

output "input" {
  value = terraform_data.one.output
}
`

const state = 'states/of session.tfstate'
const lock = `${state}.tflock`

async function run(scene: Scene, command: string): Promise<void> {
  await scene.makeBucket(true)
  const settings = join(scene.dir, 'terraform.rc')
  await writeFile(settings, '')
  await writeFile(join(scene.dir, 'main.tf'), configuration(scene))
  const env = { TF_CLI_CONFIG_FILE: settings, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_INPUT: '0' }
  const terraform = (args: readonly string[], statuses: readonly number[] = [0]) =>
    scene.call(command, args, { env, statuses })
  const apply = (input: string, seconds = 0, statuses = [0]) =>
    terraform(['apply', '-no-color', '-auto-approve', `-var=input=${input}`, `-var=seconds=${seconds}`], statuses)

  await terraform(['init', '-no-color'])
  await apply('first')
  expect((await scene.keys()).includes(state), 'the state is in the bucket')
  const both = await Promise.all([apply('second', 8, [0, 1]), apply('third', 8, [0, 1])])
  const [refused] = both.filter(({ status }) => status === 1)
  expect(both.filter(({ status }) => status === 0).length === 1, 'one of two applies at once goes through')
  expect(/Error acquiring the state lock/.test(refused?.stderr ?? ''), 'the other is refused by the lock')
  expect(!(await scene.keys()).includes(lock), 'the lock is released')
  const pulled = (await terraform(['state', 'pull'])).stdout.toString()
  expect(/"value": "(second|third)"/.test(pulled), 'the state is that of the one')

  await scene.store(lock, JSON.stringify({ ID: '0f0e0d0c-0b0a-0908-0706-050403020100', Who: 'nobody' }))
  await apply('fourth', 0, [1])
  await terraform(['force-unlock', '-force', '0f0e0d0c-0b0a-0908-0706-050403020100'])
  await apply('fifth')
  await terraform(['destroy', '-no-color', '-auto-approve'])
  expect(!(await scene.keys()).includes(lock), 'no lock is left')
}
