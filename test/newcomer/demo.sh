# The commands of the README's section Install, as they are: from an empty folder to a recorded, replayed and viewed agent.
. "$(dirname "$0")/lib.sh"
commands=$(readme_commands '## Install')
expect_text 'npm install -D' "$commands"
expect_text 'npx reprise demo' "$commands"
echo '{ "private": true }' >package.json
output=$(bash -euo pipefail -c "$commands" 2>&1 </dev/null) || fail "$output"
expect_text 'answer An umbrella and good shoes.' "$output"
expect_text 'the replay is faithful' "$output"
expect_text 'the tape              .reprise/demo/run.tape' "$output"
[ -s .reprise/demo/run.html ] || fail 'there is no page'
expect_text 'whole' "$(npx reprise verify .reprise/demo/run.tape)"
expect_text '2 calls' "$(npx reprise inspect .reprise/demo/run.tape)"
echo ok
