/** To be imported before anything that starts servers: they have two workers from then on. */
process.env['VARVE_ACCEPTANCE_WORKERS'] ??= '2'
