complete -c pkc-cancel -w 'processkit-cli cancel'
