/* write_back */
