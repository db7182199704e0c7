complete -c pkc-kill -w 'processkit-cli kill'
