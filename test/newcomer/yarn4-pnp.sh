# Yarn 4 with nodeLinker pnp: install, record, replay.
. "$(dirname "$0")/lib.sh"
yarn() { node "$modules/@yarnpkg/cli-dist/bin/yarn.js" "$@"; }
export YARN_ENABLE_TELEMETRY=0 YARN_ENABLE_GLOBAL_CACHE=false YARN_NODE_LINKER=pnp
echo '{ "name": "newcomer", "private": true }' >package.json
: >yarn.lock
yarn add -D "reprise@file:$REPRISE_TARBALL" >install.txt 2>&1 || fail "$(cat install.txt)"
records_and_replays yarn run
rm -rf node_modules .pnp.cjs .pnp.loader.mjs
yarn install --immutable >ci.txt 2>&1 || fail "$(cat ci.txt)"
records_and_replays yarn run
echo ok
